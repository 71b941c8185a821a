import { field, listField, textField } from '../../json-fields.ts'

/** The items of the input; a text alone is the user's message. */
export function inputItems(body: unknown): readonly unknown[] {
  const text = textField(body, 'input')
  return text === undefined ? listField(body, 'input') : [{ type: 'message', role: 'user', content: text }]
}

/** Does a part of the history stand on the server, where this check cannot see it? */
export function hasServerHistory(body: unknown): boolean {
  return ['previous_response_id', 'conversation', 'prompt'].some((key) => (field(body, key) ?? null) !== null)
}
