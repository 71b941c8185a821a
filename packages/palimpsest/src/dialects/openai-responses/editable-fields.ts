import { derive, deriveList } from '../../engine/json/derive.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { derivedArguments } from '../derived-json.ts'
import { type Fields, fieldsOf, isJson, isObject, listOf, stringOf } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import type { ResponsesItem } from './items.ts'

/** Where a call keeps what it was called with. */
export interface CallSurface {
  /** Arguments as the model wrote them: JSON text, or free text for custom tools. */
  text(): string
  /** The call with other arguments of the same shape; the call itself where they do not have it. Absent: never edited. */
  write?(text: string): ResponsesItem
}

export function callSurfaceOf(item: ResponsesItem): CallSurface {
  const fields = fieldsOf(item)
  switch (fields.type) {
    case 'function_call':
      return stringSurface(item, 'arguments', (text) => isJson(text) || !isJson(String(fields.arguments || '{}')))
    case 'custom_tool_call':
      return stringSurface(item, 'input', () => true)
    case 'local_shell_call':
    case 'shell_call':
      return actionSurface(item)
    case 'apply_patch_call':
      return patchSurface(item)
    case 'program':
      return { text: () => stringOf(fields.code) ?? '' }
    case 'computer_call':
      return { text: () => jsonText(fields.actions ?? fields.action) }
    default:
      return {
        text: () => (typeof fields.arguments === 'string' ? fields.arguments : jsonText(fields.arguments)),
      }
  }
}

function stringSurface(
  item: ResponsesItem,
  key: 'arguments' | 'input',
  accepts: (text: string) => boolean,
): CallSurface {
  const value = fieldsOf(item)[key]
  if (typeof value !== 'string') return { text: () => jsonText(value) }
  return { text: () => value, write: (text) => (accepts(text) ? withField(item, key, text) : item) }
}

/** The action of a shell call as JSON; its `type` stays. */
function actionSurface(item: ResponsesItem): CallSurface {
  const { action } = fieldsOf(item)
  if (!isObject(action)) return { text: () => '' }
  return {
    text: () => jsonText(action),
    write: (text) => {
      const next = derivedArguments(action, text)
      if (!isObject(next) || next === action) return item
      const isSameType = !('type' in action) || next.type === action.type
      return withField(item, 'action', isSameType ? next : derive<Fields>(next, { type: action.type }))
    },
  }
}

/** Of a patch only the diff is written: path and operation are what the manifest reads. */
function patchSurface(item: ResponsesItem): CallSurface {
  const { operation } = fieldsOf(item)
  if (!isObject(operation)) return { text: () => '' }
  const text = () => jsonText(operation)
  if (typeof operation.diff !== 'string') return { text }
  return {
    text,
    write: (json) => {
      const diff = parsedObject(json)?.diff
      return typeof diff === 'string' ? withField(item, 'operation', derive<Fields>(operation, { diff })) : item
    },
  }
}

/** How an output holds its text. */
export interface OutputShape {
  readonly editable: boolean
  text(item: ResponsesItem): string
  /** The output with its text blocks replaced; media stay. */
  writeText(item: ResponsesItem, text: string): ResponsesItem
  /** The output with nothing but this text. */
  writeAll(item: ResponsesItem, text: string): ResponsesItem
}

export function outputShapeOf(item: ResponsesItem): OutputShape {
  const { type, output } = fieldsOf(item)
  if (type === 'tool_search_output' || type === 'program_output' || type === 'computer_call_output') return SEALED
  if (typeof output === 'string') return STRING
  if (!Array.isArray(output)) return SEALED
  return type === 'shell_call_output' ? SHELL : LIST
}

const STRING: OutputShape = {
  editable: true,
  text: (item) => stringOf(fieldsOf(item).output) ?? '',
  writeText: (item, text) => withField(item, 'output', text),
  writeAll: (item, text) => withField(item, 'output', text),
}

const LIST: OutputShape = {
  editable: true,
  text: (item) =>
    listOf(fieldsOf(item).output)
      .flatMap((entry) => (isTextEntry(entry) ? entry.text : []))
      .join('\n'),
  writeText(item, text) {
    const entries = oneForMany(listOf(fieldsOf(item).output), {
      isReplaced: isTextEntry,
      replacement: ([first]) => (isTextEntry(first) ? withText(first, text) : textEntry(text)),
    })
    return withField(item, 'output', entries)
  },
  writeAll: (item, text) => withList(item, 'output', [textEntry(text)]),
}

/** Chunks of stdout and stderr, one a command: the text goes into the first, every outcome stays. */
const SHELL: OutputShape = {
  editable: true,
  text: (item) =>
    listOf(fieldsOf(item).output)
      .flatMap((chunk) => [fieldsOf(chunk).stdout, fieldsOf(chunk).stderr])
      .filter((text) => typeof text === 'string' && text !== '')
      .join('\n'),
  writeText: writeShell,
  writeAll: writeShell,
}

function writeShell(item: ResponsesItem, text: string): ResponsesItem {
  const chunks = listOf(fieldsOf(item).output)
  if (chunks.length === 0) return item
  const written = chunks.map((chunk, index) =>
    isObject(chunk) ? derive<Fields>(chunk, { stdout: index === 0 ? text : '', stderr: '' }) : chunk,
  )
  return withList(item, 'output', written)
}

/** Screenshots, loaded tools and program results: read, never written. */
const SEALED: OutputShape = {
  editable: false,
  text: (item) => {
    const { result, tools } = fieldsOf(item)
    return stringOf(result) ?? (tools === undefined ? '' : jsonText(tools))
  },
  writeText: (item) => item,
  writeAll: (item) => item,
}

export interface TextEntry {
  readonly type: string
  readonly text: string
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text'])

export function isTextEntry(entry: unknown): entry is TextEntry {
  const { type, text } = fieldsOf(entry)
  return TEXT_TYPES.has(type) && typeof text === 'string'
}

/** Annotations and log probabilities speak of places in the old text: they go with it. */
export function withText(entry: TextEntry, text: string): TextEntry {
  const fields: Fields = { ...entry }
  return derive<TextEntry & { annotations?: unknown; logprobs?: unknown }>(entry, {
    text,
    ...('annotations' in fields && { annotations: [] }),
    ...('logprobs' in fields && { logprobs: undefined }),
  })
}

export function textEntry(text: string): TextEntry {
  return { type: 'input_text', text }
}

export function withList(item: ResponsesItem, key: 'content' | 'output', list: readonly unknown[]): ResponsesItem {
  return withField(item, key, deriveList(listOf(fieldsOf(item)[key]), list))
}

export function withField(item: ResponsesItem, key: string, value: unknown): ResponsesItem {
  return derive<ResponsesItem>(item, { [key]: value })
}

function parsedObject(text: string): Fields | undefined {
  if (!isJson(text)) return undefined
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : undefined
}
