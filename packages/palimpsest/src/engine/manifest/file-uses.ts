import type { BriefingScope } from './briefing-scope.ts'
import type { PlacedCall } from './manifest.ts'

/** What happened to one file in a range of the transcript. */
export interface FileUse {
  /** Relative to the folder of the briefing. */
  readonly path: string
  reads: number
  changes: number
  /** Index of the last call that read or changed it. */
  lastUse: number
  /** Calls that read or changed it, in order. */
  readonly calls: PlacedCall[]
}

/** The files that calls read or changed, by path; calls that failed do not count. */
export function fileUses(scope: BriefingScope): ReadonlyMap<string, FileUse> {
  const files = new Map<string, FileUse>()
  scope.calls.forEach((placed, order) => {
    if (placed.result?.outcome.failed) return
    const { call } = placed
    const changed = new Set(
      call.action === 'change'
        ? [...call.paths, ...call.edits.map((edit) => edit.path)]
        : call.edits.map((edit) => edit.path),
    )
    for (const path of new Set([...call.reads, ...changed])) {
      const use = useOf(files, scope.relative(path))
      if (changed.has(path)) use.changes += 1
      else use.reads += 1
      use.lastUse = order
      use.calls.push(placed)
    }
  })
  return files
}

function useOf(files: Map<string, FileUse>, path: string): FileUse {
  const known = files.get(path)
  if (known) return known
  const use: FileUse = { path, reads: 0, changes: 0, lastUse: 0, calls: [] }
  files.set(path, use)
  return use
}
