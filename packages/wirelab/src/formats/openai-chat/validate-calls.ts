import { asFields, type Fields, field, textField } from '../../json-fields.ts'

interface BrokenRule {
  readonly rule: string
  readonly message: string
}

/** The first rule about calls and the tool messages that answer them. */
export function checkCalls(messages: readonly Fields[]): BrokenRule | undefined {
  /** Calls that wait for their tool message. */
  let open: readonly string[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = textField(message, 'tool_call_id')
      if (id === undefined) return missingId(index)
      if (!open.includes(id)) return orphan(index)
      open = open.filter((one) => one !== id)
      continue
    }
    if (open.length > 0) return unanswered(open, index)
    if (message.role === 'function' && messages[index - 1]?.function_call === undefined) return functionOrphan(index)
    const found = checkShape(message, index)
    if (found !== undefined) return found
    open = callIds(message)
  }
  return open.length > 0 ? unanswered(open, messages.length) : undefined
}

function checkShape(message: Fields, index: number): BrokenRule | undefined {
  const { tool_calls: calls } = message
  if (calls === undefined || calls === null) return undefined
  if (message.role !== 'assistant') {
    return broken(
      'calls-role',
      `Invalid parameter: only messages with role 'assistant' can have a 'tool_calls' field. (messages.[${index}])`,
    )
  }
  if (!Array.isArray(calls) || calls.length === 0) {
    const what = 'empty array. Expected an array with minimum length 1, but got an empty array instead.'
    return broken('calls-empty', `Invalid 'messages[${index}].tool_calls': ${what}`)
  }
  for (const [at, call] of calls.entries()) {
    const found = checkCall(call, `messages[${index}].tool_calls[${at}]`)
    if (found !== undefined) return found
  }
  const ids = callIds(message)
  const repeated = ids.find((id, at) => ids.indexOf(id) < at)
  return repeated === undefined
    ? undefined
    : broken(
        'call-id-repeated',
        `Duplicate value for 'tool_call_id' of '${repeated}' in messages[${index}].tool_calls.`,
      )
}

function checkCall(call: unknown, path: string): BrokenRule | undefined {
  if (textField(call, 'id') === undefined) return broken('call-id', `Missing required parameter: '${path}.id'.`)
  if (textField(call, 'type') === 'custom') return undefined
  const definition = asFields(field(call, 'function'))
  if (typeof definition?.name !== 'string') {
    return broken('call-name', `Missing required parameter: '${path}.function.name'.`)
  }
  const { arguments: json } = definition
  if (typeof json !== 'string') {
    const what = 'expected a string, but got an object instead.'
    return broken('call-arguments', `Invalid type for '${path}.function.arguments': ${what}`)
  }
  return isJsonObject(json)
    ? undefined
    : broken(
        'call-arguments',
        `Invalid '${path}.function.arguments': expected a string of valid JSON that is an object.`,
      )
}

function callIds(message: Fields): readonly string[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls.map((call) => textField(call, 'id') ?? '') : []
}

/** Arguments of a tool without parameters may be empty. */
function isJsonObject(json: string): boolean {
  if (json === '') return true
  try {
    return asFields(JSON.parse(json)) !== undefined
  } catch {
    return false
  }
}

function missingId(index: number): BrokenRule {
  const what = "messages with role 'tool' must have a 'tool_call_id'."
  return broken('tool-call-id', `Missing parameter 'tool_call_id': ${what} (messages.[${index}])`)
}

function orphan(index: number): BrokenRule {
  const what = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
  return broken('tool-orphan', `Invalid parameter: ${what} (messages.[${index}].role)`)
}

/** Results of the older kind of calls, one a message. */
function functionOrphan(index: number): BrokenRule {
  const what = "messages with role 'function' must be a response to a preceeding message with 'function_call'."
  return broken('function-orphan', `Invalid parameter: ${what} (messages.[${index}].role)`)
}

function unanswered(ids: readonly string[], index: number): BrokenRule {
  return broken(
    'tool-unanswered',
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
      `following tool_call_ids did not have response messages: ${ids.join(', ')} (messages.[${index}].role)`,
  )
}

function broken(rule: string, message: string): BrokenRule {
  return { rule, message }
}
