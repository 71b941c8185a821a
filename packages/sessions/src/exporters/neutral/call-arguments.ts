import { jsonText } from 'palimpsest/engine'
import { isFields } from '../../importers/json-fields.ts'
import type { Lose } from '../loss-tally.ts'
import type { NeutralCall } from './neutral-conversation.ts'

/** A call whose arguments the format writes as JSON text. */
export function textCall(call: { readonly id: unknown; readonly name: unknown; readonly args: unknown }): NeutralCall {
  const { id, name, args } = call
  const whole = { kind: 'call', id: idOf(id), name: typeof name === 'string' ? name : '' } as const
  if (typeof args !== 'string') return { ...whole, args: args ?? {} }
  if (args.trim() === '') return { ...whole, args: {}, text: args }
  try {
    return { ...whole, args: JSON.parse(args) as unknown, text: args }
  } catch {
    return { ...whole, args: { input: args } }
  }
}

/** The call id, if it can name a call. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The arguments as JSON text, spelled as they were where they were text. */
export function argumentsText(call: NeutralCall): string {
  return call.text === undefined || call.text.trim() === '' ? jsonText(call.args) : call.text
}

/** The arguments as the object that most formats want. */
export function argumentsObject(call: NeutralCall, lose: Lose): object {
  if (call.text !== undefined && hasLongNumber(call.text)) lose('digits of large numbers')
  if (isFields(call.args)) return call.args
  lose('arguments that are no object (carried inside one)')
  return { input: call.args }
}

/** Is there a number that comes back with other digits? */
function hasLongNumber(json: string): boolean {
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/gs, '""').match(/-?\d{16,}/g) ?? []
  return numbers.some((digits) => String(Number(digits)) !== digits)
}
