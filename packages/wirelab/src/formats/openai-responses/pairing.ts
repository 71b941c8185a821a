import { type Fields, textField } from '../../json-fields.ts'
import type { Breach } from './breach.ts'
import { type CallEnd, callEnd, itemType } from './call-families.ts'
import { hasServerHistory, inputItems } from './input.ts'

/** Calls and outputs stand together: an output behind its call, one for each, and no call without one. */
export function pairingRule(body: Fields): Breach | undefined {
  const items = inputItems(body)
  const open = new Map<string, CallEnd>()
  // The call may be what the server keeps.
  const callsElsewhere = hasServerHistory(body) || items.some((item) => itemType(item) === 'item_reference')
  for (const item of items) {
    const found = callEnd(item)
    const breach =
      found === undefined ? approvalRule(item, { items, callsElsewhere }) : take(found, open, callsElsewhere)
    if (breach !== undefined) return breach
  }
  const [unanswered] = open.values()
  return unanswered === undefined ? undefined : callWithoutOutput(unanswered)
}

/** Opens a call, or closes the one that an output answers. */
function take(found: CallEnd, open: Map<string, CallEnd>, callsElsewhere: boolean): Breach | undefined {
  const key = `${found.family.call} ${found.id}`
  const before = open.get(key)
  if (found.end === 'call') {
    open.set(key, found)
    return before === undefined ? undefined : callWithoutOutput(before)
  }
  open.delete(key)
  if (before !== undefined || callsElsewhere) return undefined
  const { words } = found.family
  return { rule: 'output-without-call', message: `No tool call found for ${words} output with call_id ${found.id}.` }
}

function callWithoutOutput({ family, id }: CallEnd): Breach {
  return { rule: 'call-without-output', message: `No tool output found for ${family.words} ${id}.` }
}

/** An approval answers a request that stands in the input. */
function approvalRule(
  item: unknown,
  by: { readonly items: readonly unknown[]; readonly callsElsewhere: boolean },
): Breach | undefined {
  if (itemType(item) !== 'mcp_approval_response' || by.callsElsewhere) return undefined
  const id = textField(item, 'approval_request_id')
  const asked = by.items.some((one) => itemType(one) === 'mcp_approval_request' && textField(one, 'id') === id)
  if (asked) return undefined
  return { rule: 'output-without-call', message: `No approval request found for approval response with id ${id}.` }
}
