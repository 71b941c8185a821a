import { derive } from '../../engine/json/derive.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { type Fields, fieldsOf, isJson, stringOf } from '../json-fields.ts'

/** A call, however it is written: `function`, `custom`, or the older `function_call`. */
export interface CallReading {
  readonly id?: string
  readonly name?: string
  /** JSON text, or free text for custom tools. */
  readonly text: string
  /** The arguments are JSON text by contract. */
  readonly isJson: boolean
  readonly editable: boolean
}

export function readCall(call: unknown): CallReading {
  const fields = fieldsOf(call)
  const custom = fieldsOf(fields.custom)
  const isCustom = typeof custom.input === 'string'
  const { name, arguments: args } = 'custom' in fields ? custom : fieldsOf(fields.function)
  return reading(fields.id, name, isCustom ? custom.input : args, !isCustom)
}

/** The older form: no id, and the name outside. */
export function readFunctionCall(call: unknown): CallReading {
  const { name, arguments: args } = fieldsOf(call)
  return reading(undefined, name, args, true)
}

function reading(id: unknown, name: unknown, args: unknown, json: boolean): CallReading {
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof name === 'string' && { name }),
    // Some servers hand arguments out as an object; then they come back as one and are left alone.
    text: stringOf(args) ?? (args === undefined ? '' : jsonText(args)),
    isJson: json,
    editable: typeof args === 'string',
  }
}

/** The call with other arguments; the call itself where they do not parse though the old ones did. Every other field stays. */
export function writeCall(call: unknown, text: string): unknown {
  const fields = fieldsOf(call)
  const key = 'custom' in fields ? 'custom' : 'function'
  const written = writeArguments(readCall(call), fieldsOf(fields[key]), text)
  return written === undefined ? call : derive<Fields>(fields, { [key]: written })
}

export function writeFunctionCall(call: unknown, text: string): unknown {
  return writeArguments(readFunctionCall(call), fieldsOf(call), text) ?? call
}

function writeArguments(call: CallReading, holder: Fields, text: string): Fields | undefined {
  // No arguments at all are written as an empty text.
  const wasJson = call.text === '' || isJson(call.text)
  if (!call.editable || (call.isJson && wasJson && !isJson(text))) return undefined
  return derive<Fields>(holder, { [call.isJson ? 'arguments' : 'input']: text })
}
