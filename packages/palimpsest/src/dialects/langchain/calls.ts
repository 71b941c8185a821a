import { derive } from '../../engine/json/derive.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { derivedArguments } from '../derived-json.ts'
import { type Fields, fieldsOf, isJson, isObject, stringOf } from '../json-fields.ts'

/** A call, wherever it stands. */
export interface CallReading {
  readonly id?: string
  readonly name?: string
  /** Arguments as JSON text. */
  readonly text: string
  readonly editable: boolean
}

/** A call of `tool_calls`, or a content entry that stands for one: its arguments are an object. */
export function readCall(call: unknown): CallReading {
  const fields = fieldsOf(call)
  const args = fields[argumentsKey(fields)]
  return reading(fields.id, fields.name, args)
}

/** A call as OpenAI's API writes it, with its arguments as text. */
export function readRawCall(call: unknown): CallReading {
  const { name, arguments: args } = fieldsOf(fieldsOf(call).function)
  return reading(fieldsOf(call).id, name, args)
}

/** The older form: no id, and the name outside. */
export function readFunctionCall(call: unknown): CallReading {
  const { name, arguments: args } = fieldsOf(call)
  return reading(undefined, name, args)
}

function reading(id: unknown, name: unknown, args: unknown): CallReading {
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof name === 'string' && { name }),
    text: stringOf(args) ?? jsonText(args ?? {}),
    editable: typeof args === 'string' || args === undefined || isObject(args),
  }
}

function argumentsKey(fields: Fields): 'args' | 'input' | 'arguments' {
  if ('args' in fields) return 'args'
  return 'input' in fields ? 'input' : 'arguments'
}

/** The call with these arguments; the call itself where it cannot take them. */
export function writeCall(call: unknown, text: string): unknown {
  const fields = fieldsOf(call)
  const key = argumentsKey(fields)
  const written = writtenArguments(fields[key], text)
  return written === undefined || written === fields[key] ? call : derive<Fields>(fields, { [key]: written })
}

export function writeRawCall(call: unknown, text: string): unknown {
  const fields = fieldsOf(call)
  const inner = writeFunctionCall(fields.function, text)
  return inner === fields.function ? call : derive<Fields>(fields, { function: inner })
}

export function writeFunctionCall(call: unknown, text: string): unknown {
  const fields = fieldsOf(call)
  const written = writtenArguments(fields.arguments, text)
  return written === undefined ? call : derive<Fields>(fields, { arguments: written })
}

/** Text stays text and must still parse where it did; an object becomes another object. */
function writtenArguments(before: unknown, text: string): unknown {
  if (typeof before !== 'string') return derivedArguments(before, text)
  const wasJson = before === '' || isJson(before)
  return wasJson && !isJson(text) ? undefined : text
}
