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

/** Schemas of Zod can tell their JSON themselves from version 4.1 on; of older ones it is told what they hold. */
function jsonSchemaOf(schema: unknown): unknown {
  if (!isObject(schema)) return undefined
  if (isPlainJson(schema)) return schema
  const { toJSONSchema: tell } = schema
  try {
    return typeof tell === 'function' ? plain(tell.call(schema)) : outlineOf(schema)
  } catch {
    // a type that JSON Schema does not have (a date, a transformation)
    return outlineOf(schema)
  }
}

const MAX_DEPTH = 8

/** Names, types and descriptions: what costs tokens in a schema. */
function outlineOf(schema: unknown, depth = 0): unknown {
  const { shape, description, _def: definition } = fieldsOf(schema)
  const { typeName, type, innerType, element } = fieldsOf(definition)
  const inner = [shape, innerType, element, type].find(isObject)
  const named = Object.entries(fieldsOf(isObject(shape) ? shape : undefined))
  return {
    type: stringOf(typeName) ?? stringOf(type) ?? 'object',
    ...(typeof description === 'string' && { description }),
    ...(named.length > 0 &&
      depth < MAX_DEPTH && {
        properties: Object.fromEntries(named.map(([name, field]) => [name, outlineOf(field, depth + 1)])),
      }),
    ...(named.length === 0 && inner !== undefined && depth < MAX_DEPTH && { items: outlineOf(inner, depth + 1) }),
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
