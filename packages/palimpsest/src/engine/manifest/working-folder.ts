import type { ToolCall } from './tool-call.ts'

/** Share of all absolute paths that must lie in a folder before paths are printed relative to it. */
const MAJORITY = 0.6
const SHALLOWEST = 1
const DEEPEST = 24

/**
 * The deepest folder that most of the absolute paths of these calls lie in, without a slash at its end; empty when there
 * is none. Folders that calls say they work in count as paths in it.
 */
export function workingFolder(calls: readonly ToolCall[]): string {
  const counts = new Map<string, number>()
  const paths = absolutePaths(calls)
  let total = 0
  for (const [path, times] of paths) {
    total += times
    for (const folder of ancestors(path)) counts.set(folder, (counts.get(folder) ?? 0) + times)
  }
  let best = ''
  for (const [folder, count] of counts) {
    if (count >= total * MAJORITY && folder.length > best.length) best = folder
  }
  return best
}

function absolutePaths(calls: readonly ToolCall[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const call of calls) {
    const stated = call.folder?.startsWith('/') ? [`${call.folder.replace(/\/+$/, '')}/.`] : undefined
    for (const path of stated ?? call.paths) {
      if (path.startsWith('/') && !path.startsWith('/tmp/')) times.set(path, (times.get(path) ?? 0) + 1)
    }
  }
  return times
}

function ancestors(path: string): readonly string[] {
  const parts = path.split('/').slice(0, DEEPEST)
  return parts.slice(0, -1).flatMap((_, at) => (at >= SHALLOWEST ? [parts.slice(0, at + 1).join('/')] : []))
}
