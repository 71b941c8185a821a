import { asFields, field, textField } from '../../json-fields.ts'
import type { Breach } from './breach.ts'
import { isKnownItem, itemType } from './call-families.ts'
import { idPrefix } from './item-ids.ts'

/** Items of the input that the API cannot read: unknown types, missing fields, ids of the wrong kind, twice the same id. */
export function itemShapeRule(items: readonly unknown[]): Breach | undefined {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const breach = shapeOf(item, `input[${index}]`) ?? duplicateOf(item, seen)
    if (breach !== undefined) return breach
  }
  return undefined
}

function shapeOf(item: unknown, at: string): Breach | undefined {
  if (asFields(item) === undefined) {
    return {
      rule: 'input-type',
      message: `Invalid type for '${at}': expected an object, but got ${typeof item} instead.`,
    }
  }
  if (!isKnownItem(item)) return { rule: 'item-type', message: `Invalid value: '${itemType(item)}' at '${at}'.` }
  return requiredFields(item, at) ?? idRule(item, at) ?? contentRule(item, at)
}

/** Fields without which an item of that type is not read, each with the JSON types it may have. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  message: { role: ['string'], content: ['string', 'array'] },
  function_call: { call_id: ['string'], name: ['string'], arguments: ['string'] },
  function_call_output: { call_id: ['string'], output: ['string', 'array'] },
  custom_tool_call: { call_id: ['string'], name: ['string'], input: ['string'] },
  custom_tool_call_output: { call_id: ['string'], output: ['string', 'array'] },
  local_shell_call: { call_id: ['string'], action: ['object'] },
  local_shell_call_output: { output: ['string'] },
  computer_call: { call_id: ['string'] },
  computer_call_output: { call_id: ['string'], output: ['object'] },
  reasoning: { summary: ['array'] },
  compaction: { encrypted_content: ['string'] },
  item_reference: { id: ['string'] },
}

function requiredFields(item: unknown, at: string): Breach | undefined {
  for (const [key, types] of Object.entries(REQUIRED[itemType(item)] ?? {})) {
    const type = jsonType(field(item, key))
    if (type === 'null') return { rule: 'item-fields', message: `Missing required parameter: '${at}.${key}'.` }
    if (!types.includes(type)) {
      const wanted = types.join(' or ')
      return {
        rule: 'item-fields',
        message: `Invalid type for '${at}.${key}': expected ${wanted}, but got ${type} instead.`,
      }
    }
  }
  return undefined
}

function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function idRule(item: unknown, at: string): Breach | undefined {
  const id = textField(item, 'id')
  const prefix = idPrefix(itemType(item))
  // A message of the user may carry any id; one of the model has the API's own.
  const free = itemType(item) === 'message' && field(item, 'role') !== 'assistant'
  if (id === undefined || prefix === undefined || free || id.startsWith(prefix)) return undefined
  return { rule: 'item-id', message: `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.` }
}

const ROLES = ['assistant', 'system', 'developer', 'user']
const CONTENT: Readonly<Record<'assistant' | 'other', readonly string[]>> = {
  assistant: ['output_text', 'refusal'],
  other: ['input_text', 'input_image', 'input_file', 'input_audio'],
}

function contentRule(item: unknown, at: string): Breach | undefined {
  if (itemType(item) !== 'message') return undefined
  const role = textField(item, 'role') ?? ''
  if (!ROLES.includes(role)) return invalidValue(role, ROLES, 'item-fields')
  const content = field(item, 'content')
  if (!Array.isArray(content)) return undefined
  const allowed = CONTENT[role === 'assistant' ? 'assistant' : 'other']
  for (const [index, part] of content.entries()) {
    const type = textField(part, 'type')
    if (type === undefined) {
      return { rule: 'content-type', message: `Missing required parameter: '${at}.content[${index}].type'.` }
    }
    if (!allowed.includes(type)) return invalidValue(type, allowed, 'content-type')
  }
  return undefined
}

function invalidValue(value: string, allowed: readonly string[], rule: Breach['rule']): Breach {
  const listed = allowed.map((one) => `'${one}'`)
  const last = listed.at(-1)
  return {
    rule,
    message: `Invalid value: '${value}'. Supported values are: ${listed.slice(0, -1).join(', ')} and ${last}.`,
  }
}

function duplicateOf(item: unknown, seen: Set<string>): Breach | undefined {
  const id = textField(item, 'id')
  if (id === undefined || itemType(item) === 'item_reference') return undefined
  if (seen.has(id)) {
    return {
      rule: 'duplicate-item',
      message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
    }
  }
  seen.add(id)
  return undefined
}
