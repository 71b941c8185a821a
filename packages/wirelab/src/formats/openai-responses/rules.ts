import { asFields, type Fields, textField } from '../../json-fields.ts'
import type { Breach } from './breach.ts'
import { hasServerHistory, inputItems } from './input.ts'
import { itemShapeRule } from './item-shapes.ts'
import { pairingRule } from './pairing.ts'
import { reasoningRule } from './reasoning-rules.ts'

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
