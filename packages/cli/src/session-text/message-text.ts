import type { MessageView, PartView } from 'palimpsest'
import type { Media } from 'palimpsest/engine'
import { formatBytes, formatCount } from '../format-number.ts'
import { clipped, oneLine, plainText } from './plain-text.ts'

export interface MessageTextOptions {
  readonly columns: number
  /** Everything, however long. */
  readonly full?: boolean
  /** Names of tools by the ids of their calls: most formats do not say them again with the result. */
  readonly toolNames?: ReadonlyMap<string, string>
}

/** Lines of one part that stand there where not all of it is wanted. */
const MOST_LINES = 6

/** The parts of a message for a person, each indented by two spaces: texts, `→` calls, `←` results. */
export function messageText(view: MessageView, options: MessageTextOptions): string {
  const parts = view.parts.map((part) => partText(part, options)).filter((text) => text !== '')
  return parts.length === 0 ? '  (empty)' : parts.join('\n')
}

/** The tools of the calls in these messages, by the ids of the calls. */
export function toolNamesOf(views: readonly MessageView[]): ReadonlyMap<string, string> {
  const calls = views.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'tool-call'))
  return new Map(calls.flatMap(({ callId, toolName }) => (callId && toolName ? [[callId, toolName] as const] : [])))
}

function partText(part: PartView, options: MessageTextOptions): string {
  if (part.kind === 'tool-call') return callText(part, options)
  const media = (part.media ?? []).map(mediaText)
  const text = part.text()
  if (part.kind === 'text') return lines([indented(text, options), ...media.map((one) => `  ${one}`)])
  const size = text === '' ? [] : [`${formatCount(text.length)} characters`]
  const facts = [...size, ...media, ...(part.isError === true ? ['error'] : [])].join(', ')
  const head = [part.kind === 'tool-result' ? '←' : part.kind, nameOf(part, options), facts === '' ? '' : `(${facts})`]
  return lines([`  ${head.filter(Boolean).join(' ')}`, indented(text, options, '    ')])
}

function nameOf({ toolName, callId }: PartView, { toolNames }: MessageTextOptions): string {
  return oneLine(toolName ?? toolNames?.get(callId ?? '') ?? callId ?? '')
}

function lines(all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n')
}

function callText(part: PartView, options: MessageTextOptions): string {
  const head = `  → ${oneLine(part.toolName ?? 'call')}`
  if (options.full === true) return lines([head, indented(part.text(), options, '    ')])
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
