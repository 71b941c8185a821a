import type { LabRules } from '../../format.ts'
import { asFields, type Fields, listField, textField } from '../../json-fields.ts'
import { checkAlternation } from './alternation.ts'
import { checkCalls } from './validate-calls.ts'

/** A broken rule, in the API's own kind of words; `param` is the field that the error names. */
export interface BrokenRule {
  readonly rule: string
  readonly message: string
}

/** The first rule of Chat Completions that a body breaks. */
export function validateChat(body: unknown, rules: LabRules): BrokenRule | undefined {
  const shape = checkShape(body)
  if (shape !== undefined) return shape
  const messages = listField(body, 'messages').map((message) => asFields(message) ?? {})
  return (
    first(messages, checkMessage) ??
    checkCalls(messages) ??
    (rules.strictAlternation ? checkAlternation(messages) : undefined)
  )
}

function checkShape(body: unknown): BrokenRule | undefined {
  const fields = asFields(body)
  if (fields === undefined) return broken('body', 'We could not parse the JSON body of your request.')
  if (typeof fields.model !== 'string') return broken('model', 'you must provide a model parameter')
  if (fields.messages === undefined) return broken('messages', "Missing required parameter: 'messages'.")
  if (!Array.isArray(fields.messages)) {
    return broken(
      'messages',
      "Invalid type for 'messages': expected an array of objects, but got something else instead.",
    )
  }
  if (fields.messages.length === 0) return broken('messages', emptyArray('messages'))
  return checkOptions(fields)
}

function checkOptions(fields: Fields): BrokenRule | undefined {
  if (Array.isArray(fields.tools) && fields.tools.length === 0) return broken('tools', emptyArray('tools'))
  for (const option of ['tool_choice', 'parallel_tool_calls']) {
    if (fields[option] === undefined || fields.tools !== undefined) continue
    return broken('tools', `'${option}' is only allowed when 'tools' are specified.`)
  }
  if (asFields(fields.stream_options) !== undefined && fields.stream !== true) {
    return broken('stream-options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  }
  for (const cap of ['max_tokens', 'max_completion_tokens']) {
    const value = fields[cap]
    if (value === undefined || value === null || (Number.isInteger(value) && Number(value) >= 1)) continue
    return broken(
      'max-tokens',
      `Invalid '${cap}': integer below minimum value. Expected a value >= 1, but got ${value} instead.`,
    )
  }
  return undefined
}

const ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

function checkMessage(message: Fields, index: number): BrokenRule | undefined {
  const { role, content } = message
  if (!ROLES.includes(role)) {
    const supported = "Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
    return broken('role', `Invalid value: '${role}'. ${supported}`)
  }
  if (Array.isArray(content)) {
    if (content.length === 0) return broken('content', emptyArray(`messages[${index}].content`))
    return first(content, (part, at) => checkPart(part, `messages[${index}].content[${at}]`))
  }
  if (typeof content === 'string') return undefined
  const mayBeNull = role === 'assistant' && hasInstead(message)
  if (mayBeNull && (content === null || content === undefined)) return undefined
  const got = content === null || content === undefined ? 'null' : typeof content
  return broken('content', `Invalid value for 'content': expected a string, got ${got}. (messages.[${index}].content)`)
}

/** Calls, a refusal or a sound may stand in the place of content. */
function hasInstead({ tool_calls, function_call, refusal, audio }: Fields): boolean {
  return [tool_calls, function_call, refusal, audio].some((field) => field !== undefined && field !== null)
}

function checkPart(part: unknown, path: string): BrokenRule | undefined {
  const type = textField(part, 'type')
  if (type === undefined) return broken('content-part', `Missing required parameter: '${path}.type'.`)
  if (type !== 'text' || textField(part, 'text') !== undefined) return undefined
  return broken('content-part', `Missing required parameter: '${path}.text'.`)
}

/** How the API says that a list has nothing in it. */
export function emptyArray(path: string): string {
  return `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`
}

function first<T>(list: readonly T[], check: (one: T, at: number) => BrokenRule | undefined): BrokenRule | undefined {
  for (const [at, one] of list.entries()) {
    const found = check(one, at)
    if (found !== undefined) return found
  }
  return undefined
}

function broken(rule: string, message: string): BrokenRule {
  return { rule, message }
}
