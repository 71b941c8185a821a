import { type Dialect, PalimpsestError } from 'palimpsest'
import { groupMessages, type MessageGroup } from 'palimpsest/engine'

/** What the model reads in place of a result that never came. */
export const INTERRUPTED = 'Interrupted before a result came. It may have had an effect: look before you call it again.'

/**
 * Native items that answer the calls with which a transcript ends and that nothing answered, so that it can go on. None where
 * nothing is missing; a call that waits for an approval, or for the provider, is not missing its result.
 *
 * @example items.push(...interruptedResults(dialect, items))
 */
export function interruptedResults(
  dialect: Dialect<unknown, object>,
  items: readonly object[],
  text: string = INTERRUPTED,
): readonly object[] {
  const last = groupMessages(items.map((item) => dialect.view(item))).at(-1)
  const calls = (last?.unanswered ?? [])
    .map((call) => ({ ...call, native: items[call.position] ?? {} }))
    .filter((call) => !isWaiting(call))
  if (calls.length === 0) return []
  const write = WRITERS.get(dialect.name)
  if (write === undefined) throw unknownDialect(dialect.name)
  return write(calls, text)
}

/** A call, with the item that it stands in. */
type OpenCall = MessageGroup['unanswered'][number] & { readonly native: object }

/** Has somebody else to answer first: the user an approval, or the provider itself? */
function isWaiting({ callId, native }: OpenCall): boolean {
  const { type, content } = native as { readonly type?: unknown; readonly content?: unknown }
  if (type === 'tool_search_call' || type === 'program') return true
  return Array.isArray(content) && content.some((part) => part?.type === APPROVAL && part.toolCallId === callId)
}

const APPROVAL = 'tool-approval-request'

type WriteResults = (calls: readonly OpenCall[], text: string) => readonly object[]

const WRITERS: ReadonlyMap<string, WriteResults> = new Map<string, WriteResults>([
  ['anthropic-messages', anthropicResults],
  ['openai-chat', (calls, text) => calls.map((call) => chatResult(call, text))],
  ['openai-responses', (calls, text) => calls.map((call) => responsesOutput(call, text))],
  ['openai-codex', (calls, text) => calls.map((call) => responsesOutput(call, text))],
  ['gemini', geminiResponses],
  ['bedrock-converse', bedrockResults],
  ['ai-sdk', aiSdkResults],
  ['langchain', (calls, text) => calls.map((call) => toolMessage(call, text))],
])

function anthropicResults(calls: readonly OpenCall[], text: string): readonly object[] {
  const content = calls.map(({ callId }) => ({
    type: 'tool_result',
    tool_use_id: callId,
    content: text,
    is_error: true,
  }))
  return [{ role: 'user', content }]
}

function chatResult({ callId, toolName }: OpenCall, content: string): object {
  // the older form has no ids
  if (callId === undefined) return { role: 'function', name: toolName ?? '', content }
  return { role: 'tool', tool_call_id: callId, content }
}

/** A picture of one transparent pixel: a computer's output is a screenshot and nothing else. */
const NO_PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** Each kind of call has its own kind of output. */
function responsesOutput({ callId, native }: OpenCall, text: string): object {
  const type = String((native as { readonly type?: unknown }).type)
  switch (type) {
    case 'local_shell_call':
      return { type: 'function_call_output', call_id: callId, output: text }
    case 'shell_call': {
      const output = [{ stdout: '', stderr: text, outcome: { type: 'timeout' } }]
      return { type: 'shell_call_output', call_id: callId, output }
    }
    case 'apply_patch_call':
      return { type: 'apply_patch_call_output', call_id: callId, status: 'failed', output: text }
    case 'computer_call': {
      const output = { type: 'computer_screenshot', image_url: NO_PICTURE }
      return { type: 'computer_call_output', call_id: callId, output }
    }
    default:
      return { type: `${type}_output`, call_id: callId, output: text }
  }
}

function geminiResponses(calls: readonly OpenCall[], text: string): readonly object[] {
  const parts = calls.map(({ callId, toolName }) => ({
    functionResponse: { ...(callId !== undefined && { id: callId }), name: toolName ?? '', response: { error: text } },
  }))
  return [{ role: 'user', parts }]
}

function bedrockResults(calls: readonly OpenCall[], text: string): readonly object[] {
  const content = calls.map(({ callId }) => ({
    toolResult: { toolUseId: callId, content: [{ text }], status: 'error' },
  }))
  return [{ role: 'user', content }]
}

function aiSdkResults(calls: readonly OpenCall[], text: string): readonly object[] {
  const content = calls.map(({ callId, toolName }) => ({
    type: 'tool-result',
    toolCallId: callId,
    toolName: toolName ?? '',
    output: { type: 'error-text', value: text },
  }))
  return [{ role: 'tool', content }]
}

function toolMessage({ callId, toolName }: OpenCall, content: string): object {
  return {
    type: 'tool',
    content,
    tool_call_id: callId,
    ...(toolName !== undefined && { name: toolName }),
    status: 'error',
  }
}

function unknownDialect(name: string): PalimpsestError {
  return new PalimpsestError('invalid-input', `Nobody here knows how ${name} writes the result of a call.`, {
    hint: `Append the results yourself, or use a session of ${[...WRITERS.keys()].join(', ')}.`,
  })
}
