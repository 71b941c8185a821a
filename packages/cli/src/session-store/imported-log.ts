import type { EntryBody, ImportedSession, RecordedCall, RecordedCompaction } from '@palimpsest/sessions'
import { dialectByName } from 'palimpsest'

/** What an entry says, and when that was. */
export interface TimedBody {
  readonly body: EntryBody
  readonly at: number
}

/**
 * What a log says of an imported session, in order: its messages, each compaction of the client where it happened, the usage of
 * each call behind the answer that it is of. The same file gives the same, and one that has grown begins with the same.
 */
export function logOfImport(imported: ImportedSession): readonly TimedBody[] {
  const { frame, leading } = frameOf(imported)
  const items = imported.items.slice(leading)
  let at = imported.items.find(({ timestamp }) => timestamp !== undefined)?.timestamp ?? 0
  const log: TimedBody[] = [{ body: started(imported, frame), at }]
  const behind = (position: number) => [
    ...imported.calls.filter((call) => call.position === position - 1).flatMap(usageOf),
    ...imported.compactions.filter((one) => one.position === position).map(compactionOf),
  ]
  log.push(...behind(0).map((body) => ({ body, at })))
  for (const [position, { item, injected, timestamp }] of items.entries()) {
    at = timestamp ?? at
    log.push({ body: { type: 'message-appended', position, item, ...(injected && { injected }) }, at })
    log.push(...behind(position + 1).map((body) => ({ body, at })))
  }
  return log
}

/** The request without its items, but with the system messages that lead them. */
function frameOf({ dialect: name, request, items }: ImportedSession): {
  readonly frame?: object
  readonly leading: number
} {
  if (request === null || typeof request !== 'object' || Array.isArray(request)) return { leading: 0 }
  const dialect = dialectByName(name)
  const all = (request as Record<string, unknown>)[dialect.itemsKey]
  const leading = Array.isArray(all) ? items.length - dialect.open(request).items.length : 0
  return { frame: { ...request, [dialect.itemsKey]: items.slice(0, leading).map(({ item }) => item) }, leading }
}

function started({ dialect, model, cwd, title, format, id }: ImportedSession, frame: object | undefined): EntryBody {
  return {
    type: 'session-started',
    dialect,
    toolResults: 'full',
    imported: { format, ...(id !== undefined && { id }) },
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(frame !== undefined && { frame }),
  }
}

function usageOf({ usage, model }: RecordedCall): readonly EntryBody[] {
  if (usage === undefined) return []
  return [{ type: 'usage-recorded', purpose: 'chat', usage, ...(model !== undefined && { model }) }]
}

function compactionOf({ position: _, ...compaction }: RecordedCompaction): EntryBody {
  return { type: 'compaction-imported', ...compaction }
}
