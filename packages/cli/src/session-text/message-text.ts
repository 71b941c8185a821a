import type { Dialect, MessageView, PartView } from 'palimpsest'
import type { Media } from 'palimpsest/engine'
import { formatBytes, formatCount } from '../format-number.ts'
import { clipped, oneLine, plainText } from './plain-text.ts'

export interface MessageTextOptions {
  readonly columns: number
  /** Everything, however long. */
  readonly full?: boolean
}

/** Lines of one part that stand there where not all of it is wanted. */
const MOST_LINES = 6

/** The parts of a message for a person, each indented by two spaces: texts, `→` calls, `←` results. */
export function messageText(view: MessageView, options: MessageTextOptions): string {
  const parts = view.parts.map((part) => partText(part, options)).filter((text) => text !== '')
  return parts.length === 0 ? '  (empty)' : parts.join('\n')
}

/** How the item reads; of one that its dialect cannot read, its JSON. */
export function viewOf(dialect: Dialect<unknown, object>, item: unknown): MessageView {
  try {
    return dialect.view(item as object)
  } catch {
    return { role: 'user', parts: [unreadable(item)] }
  }
}

function unreadable(item: unknown): PartView {
  const json = JSON.stringify(item) ?? ''
  return { kind: 'opaque', text: () => json, bytes: () => json.length, editable: false }
}

function partText(part: PartView, options: MessageTextOptions): string {
  const media = (part.media ?? []).map(mediaText)
  const text = part.text()
  const size = text === '' ? [] : [`${formatCount(text.length)} characters`]
  if (part.kind === 'text')
    return [indented(text, options), ...media.map((one) => `  ${one}`)].filter(Boolean).join('\n')
  if (part.kind === 'tool-call') return callText(part, options)
  const name = part.kind === 'tool-result' ? '←' : part.kind
  const facts = [...size, ...media, ...(part.isError === true ? ['error'] : [])]
  const head = `  ${[name, part.toolName ?? part.callId].filter(Boolean).join(' ')}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  return [head, indented(text, options, '    ')].filter(Boolean).join('\n')
}

function callText(part: PartView, options: MessageTextOptions): string {
  const head = `  → ${part.toolName ?? 'call'}`
  if (options.full === true) return [head, indented(part.text(), options, '    ')].filter(Boolean).join('\n')
  return clipped(`${head} ${oneLine(part.text())}`, options.columns)
}

function mediaText({ kind, bytes }: Media): string {
  return bytes === 0 ? kind : `${kind}, ${formatBytes(bytes)}`
}

function indented(text: string, { columns, full = false }: MessageTextOptions, indent = '  '): string {
  if (text.trim() === '') return ''
  const lines = plainText(text).trimEnd().split('\n')
  if (full) return lines.map((line) => `${indent}${line}`).join('\n')
  const shown = lines.slice(0, MOST_LINES).map((line) => `${indent}${clipped(line, columns - indent.length)}`)
  const left = lines.length - MOST_LINES
  return [...shown, ...(left > 0 ? [`${indent}… ${formatCount(left)} more lines`] : [])].join('\n')
}
