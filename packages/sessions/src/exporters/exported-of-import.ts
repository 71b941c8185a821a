import { dialectByName } from 'palimpsest'
import type { ImportedSession } from '../importers/imported-session.ts'
import { fieldsOf, isFields, present } from '../importers/json-fields.ts'
import type { ExportedItem, ExportedSession } from './exported-session.ts'

/** What an export needs beside the file. */
export interface ExportedOfImportOptions {
  /** Milliseconds since the epoch, where no item of the file has a time. Default 0, so that the same file gives the same text. */
  readonly createdAt?: number
}

/**
 * An imported session, as it can be exported. System items that lead a request move into its frame.
 *
 * @example
 * exportSession(exportedOfImport(imported), 'openai-chat').text
 */
export function exportedOfImport(imported: ImportedSession, options: ExportedOfImportOptions = {}): ExportedSession {
  const { dialect: name, model, cwd, title, calls, compactions } = imported
  const { items, frame, leading } = itemsAndFrame(imported)
  const before = (position: number) => Math.max(0, position - leading)
  const times = imported.items.flatMap(({ timestamp }) => timestamp ?? [])
  return {
    id: imported.id ?? 'imported',
    dialect: name,
    items,
    ...frame,
    ...present({ model, cwd, title }),
    createdAt: times[0] ?? options.createdAt ?? 0,
    calls: calls.map((call) => ({ ...call, position: before(call.position) })),
    compactions: compactions.map(({ keptFrom, ...compaction }) => ({
      ...compaction,
      position: before(compaction.position),
      ...(keptFrom !== undefined && { keptFrom: before(keptFrom) }),
    })),
  }
}

interface ItemsAndFrame {
  readonly items: readonly ExportedItem[]
  readonly frame: Pick<ExportedSession, 'frame' | 'source'>
  /** How many items moved into the frame. */
  readonly leading: number
}

function itemsAndFrame({ dialect: name, items, request, requestText }: ImportedSession): ItemsAndFrame {
  const listed = items.map(({ item, timestamp, injected }) => ({ item, ...present({ timestamp, injected }) }))
  const dialect = dialectByName(name)
  // Of some sessions only the settings are known as a request, of others nothing.
  const isWhole = isFields(request) && request[dialect.itemsKey] !== undefined
  const body = isWhole ? request : { ...fieldsOf(request), [dialect.itemsKey]: items.map(({ item }) => item) }
  const opened = dialect.open(body)
  const leading = Math.max(0, listed.length - opened.items.length)
  const kept = opened.items.map((item, at) => ({ ...listed[leading + at], item }))
  if (request === undefined && leading === 0) return { items: kept, frame: {}, leading }
  const frame = dialect.close(body, { ...opened, items: [] })
  const isText = isWhole && requestText !== undefined && isObjectText(requestText)
  return { items: kept, frame: { frame, ...(isText && { source: { text: requestText, value: request } }) }, leading }
}

/** A list of messages without the rest was put into a request: the text is the list's alone. */
function isObjectText(text: string): boolean {
  return text.trimStart().startsWith('{')
}
