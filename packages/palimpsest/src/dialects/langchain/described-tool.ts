import { type Fields, fieldsOf, isObject, stringOf } from '../json-fields.ts'

/**
 * A tool as the model is told of it, in OpenAI's form: what a provider makes of it costs about the same. Tools that are JSON
 * already stay as they are.
 */
export function describedTool(tool: unknown): unknown {
  if (!isObject(tool) || !isInstance(tool)) return tool
  const { name, description, schema, extras } = fieldsOf(tool)
  const parameters = jsonSchemaOf(schema)
  return {
    type: 'function',
    function: {
      name: stringOf(name) ?? '',
      description: stringOf(description) ?? '',
      ...(parameters !== undefined && { parameters }),
    },
    ...deferral(extras),
  }
}

/** A tool that runs in the client: an object of a class, or one that holds a function. */
function isInstance(tool: Fields): boolean {
  return typeof tool.invoke === 'function' || (typeof tool.name === 'string' && 'schema' in tool)
}

/** Schemas of Zod can tell their JSON themselves from version 4 on. */
function jsonSchemaOf(schema: unknown): unknown {
  if (!isObject(schema)) return undefined
  const { toJSONSchema: tell } = schema
  if (typeof tell !== 'function') return isPlainJson(schema) ? schema : undefined
  try {
    return plain(tell.call(schema))
  } catch {
    return undefined
  }
}

function isPlainJson(schema: Fields): boolean {
  return Object.getPrototypeOf(schema) === Object.prototype && !('_def' in schema) && !('_zod' in schema)
}

/** Without what a class hung on it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}

/** Tools that Anthropic loads when they are asked for count nothing before. */
function deferral(extras: unknown): Fields {
  return fieldsOf(extras).defer_loading === true ? { defer_loading: true } : {}
}
