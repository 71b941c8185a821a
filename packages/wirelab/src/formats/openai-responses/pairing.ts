import type { Fields } from '../../json-fields.ts'
import type { Breach } from './breach.ts'
import { callEnd, itemType } from './call-families.ts'
import { hasServerHistory, inputItems } from './input.ts'

/** Calls and outputs stand together: an output behind its call, and no call without its output. */
export function pairingRule(body: Fields): Breach | undefined {
  const items = inputItems(body)
  return orphanOutput(body, items) ?? unansweredCall(items)
}

function orphanOutput(body: Fields, items: readonly unknown[]): Breach | undefined {
  // The call may be what the server keeps.
  if (hasServerHistory(body) || items.some((item) => itemType(item) === 'item_reference')) return undefined
  const calls = new Set<string>()
  for (const item of items) {
    const found = callEnd(item)
    if (found === undefined) continue
    const key = `${found.family.call} ${found.id}`
    if (found.end === 'call') calls.add(key)
    else if (!calls.has(key)) {
      const { words } = found.family
      return {
        rule: 'output-without-call',
        message: `No tool call found for ${words} output with call_id ${found.id}.`,
      }
    }
  }
  return undefined
}

function unansweredCall(items: readonly unknown[]): Breach | undefined {
  const ends = items.map(callEnd)
  const unanswered = ends.find(
    (one, at) =>
      one?.end === 'call' &&
      !ends.slice(at).some((other) => other?.end === 'output' && other.family === one.family && other.id === one.id),
  )
  if (unanswered === undefined) return undefined
  const { family, id } = unanswered
  return { rule: 'call-without-output', message: `No tool output found for ${family.words} ${id}.` }
}
