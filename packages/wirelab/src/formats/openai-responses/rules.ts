import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'
import { itemShapeRule } from './item-shapes.ts'
import { pairingRule } from './pairing.ts'
import { reasoningRule } from './reasoning-rules.ts'

/** A rule that a request breaks, with the API's own kind of words. */
export interface Breach {
  readonly rule: ResponsesRule
  readonly message: string
}

/** The rules, by the name that records and tests use. */
export type ResponsesRule =
  | 'body'
  | 'missing-parameter'
  | 'input-type'
  | 'item-type'
  | 'item-fields'
  | 'item-id'
  | 'duplicate-item'
  | 'content-type'
  | 'call-without-output'
  | 'output-without-call'
  | 'reasoning-without-item'
  | 'item-without-reasoning'
  | 'not-persisted'
  | 'encrypted-content'
  | 'codex-parameter'

/** The first rule of the Responses API that the body breaks. */
export function responsesBreach(body: unknown): Breach | undefined {
  const fields = asFields(body)
  if (fields === undefined) {
    return { rule: 'body', message: 'We could not parse the JSON body of your request. The API expects a JSON object.' }
  }
  return parameterRule(fields) ?? itemShapeRule(inputItems(fields)) ?? pairingRule(fields) ?? reasoningRule(fields)
}

/** The same for the Codex backend, which takes a part of the API only. */
export function codexBreach(body: unknown): Breach | undefined {
  const fields = asFields(body)
  const detail = fields === undefined ? undefined : codexDetail(fields)
  return detail === undefined ? responsesBreach(body) : { rule: 'codex-parameter', message: detail }
}

/** The items of the input; a text alone is the user's message. */
export function inputItems(body: unknown): readonly unknown[] {
  const text = textField(body, 'input')
  return text === undefined ? listField(body, 'input') : [{ type: 'message', role: 'user', content: text }]
}

/** Does a part of the history stand on the server, where this check cannot see it? */
export function hasServerHistory(body: unknown): boolean {
  return ['previous_response_id', 'conversation', 'prompt'].some((key) => (field(body, key) ?? null) !== null)
}

function parameterRule(body: Fields): Breach | undefined {
  if (textField(body, 'model') === undefined && !hasServerHistory(body)) {
    return { rule: 'missing-parameter', message: "Missing required parameter: 'model'." }
  }
  const input = body.input ?? null
  if (input !== null && typeof input !== 'string' && !Array.isArray(input)) {
    return {
      rule: 'input-type',
      message: `Invalid type for 'input': expected one of a string or an array of objects, but got ${words(input)} instead.`,
    }
  }
  if (inputItems(body).length > 0 || hasServerHistory(body)) return undefined
  return {
    rule: 'missing-parameter',
    message: `One of "input" or "previous_response_id" or 'prompt' or 'conversation_id' must be provided.`,
  }
}

function words(value: unknown): string {
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function codexDetail(body: Fields): string | undefined {
  if ((textField(body, 'instructions') ?? '') === '') return 'Instructions are required'
  if (body.store !== false) return 'Store must be set to false'
  if (body.stream !== true) return 'Stream must be set to true'
  const refused = ['max_output_tokens', 'previous_response_id'].find((key) => (body[key] ?? null) !== null)
  return refused === undefined ? undefined : `Unsupported parameter: ${refused}`
}
