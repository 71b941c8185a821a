import type { LabUsage, Reply, ReplyContext, ReplyPart } from '../../format.ts'
import { field, listField, textField } from '../../json-fields.ts'
import { reasoningTokens } from '../../reasoning-tokens.ts'
import { seal } from '../../seal.ts'
import { issueId } from './item-ids.ts'

/** An item of the output, finished. */
export type OutputItem = { readonly id: string; readonly type: string } & { readonly [key: string]: unknown }

/** The items of an answer: each with an id that names the reasoning it came with. */
export function outputItems(reply: Reply, context: ReplyContext): readonly OutputItem[] {
  let reasoning: number | undefined
  return reply.parts.map((part, place) => {
    const item = outputItem(part, { reply, context, place, reasoning })
    if (part.kind === 'reasoning') reasoning = place
    return item
  })
}

interface Place {
  readonly reply: Reply
  readonly context: ReplyContext
  readonly place: number
  readonly reasoning: number | undefined
}

function outputItem(part: ReplyPart, at: Place): OutputItem {
  const identified = (type: string, reasoning = at.reasoning) => ({
    id: issueId(type, { answer: at.context.id, place: at.place, reasoning }),
    type,
  })
  switch (part.kind) {
    case 'reasoning':
      return {
        ...identified('reasoning', undefined),
        summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
        ...(wantsSealed(at.context.body) && {
          encrypted_content: part.signature ?? seal({ answer: at.context.id, place: at.place }),
        }),
      }
    case 'text':
      return {
        ...identified('message'),
        status: 'completed',
        role: 'assistant',
        content: [textPart(part.text, at.reply)],
      }
    case 'tool-call':
      return callItem(part, at.context.body, identified)
  }
}

/** Sealed reasoning comes only to who asks for it: the trap that clients without storage fall into. */
function wantsSealed(body: unknown): boolean {
  return listField(body, 'include').includes('reasoning.encrypted_content')
}

function textPart(text: string, reply: Reply): object {
  return reply.finish === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', annotations: [], logprobs: [], text }
}

type ToolCall = Extract<ReplyPart, { kind: 'tool-call' }>

/** A call takes the form of the tool that it calls: a function, a tool with free text, the local shell. */
function callItem(
  part: ToolCall,
  body: unknown,
  identified: (type: string) => { id: string; type: string },
): OutputItem {
  const ids = { call_id: part.id, status: 'completed' }
  const tools = listField(body, 'tools')
  if (tools.some((tool) => textField(tool, 'type') === 'custom' && textField(tool, 'name') === part.name)) {
    const input = textField(part.input, 'input') ?? JSON.stringify(part.input)
    return { ...identified('custom_tool_call'), ...ids, name: part.name, input }
  }
  if (part.name === 'local_shell' && tools.some((tool) => textField(tool, 'type') === 'local_shell')) {
    return { ...identified('local_shell_call'), ...ids, action: { type: 'exec', env: {}, ...part.input } }
  }
  return { ...identified('function_call'), ...ids, name: part.name, arguments: JSON.stringify(part.input) }
}

/** The response object: finished with `output` and usage, or as it stands when a stream begins. */
export function responseObject(
  context: ReplyContext,
  state: { readonly reply: Reply; readonly output: readonly OutputItem[] } | 'in_progress',
): object {
  const { body } = context
  const end = state === 'in_progress' ? 'in_progress' : incompleteReason(state.reply)
  return {
    id: `resp_lab_${context.id}`,
    object: 'response',
    created_at: CREATED_AT,
    status: end === undefined ? 'completed' : end === 'in_progress' ? end : 'incomplete',
    background: false,
    error: null,
    incomplete_details: end === undefined || end === 'in_progress' ? null : { reason: end },
    instructions: field(body, 'instructions') ?? null,
    max_output_tokens: field(body, 'max_output_tokens') ?? null,
    model: context.model,
    output: state === 'in_progress' ? [] : state.output,
    parallel_tool_calls: field(body, 'parallel_tool_calls') ?? true,
    previous_response_id: field(body, 'previous_response_id') ?? null,
    reasoning: field(body, 'reasoning') ?? { effort: null, summary: null },
    store: field(body, 'store') ?? true,
    temperature: field(body, 'temperature') ?? 1,
    text: field(body, 'text') ?? { format: { type: 'text' } },
    tool_choice: field(body, 'tool_choice') ?? 'auto',
    tools: listField(body, 'tools'),
    top_p: field(body, 'top_p') ?? 1,
    truncation: field(body, 'truncation') ?? 'disabled',
    usage: state === 'in_progress' ? null : usageObject(context.usage, state.reply),
    metadata: field(body, 'metadata') ?? {},
  }
}

/** Time has one owner, the server; answers carry one and the same, in seconds. */
export const CREATED_AT = 1_767_225_600

/** Why an answer is not whole. The API knows no word for a full window: the output ended before its cap. */
function incompleteReason(reply: Reply): string | undefined {
  if (reply.finish === 'length' || reply.finish === 'context-window') return 'max_output_tokens'
  return undefined
}

/** Usage as the API writes it: the cached part is within the input. */
export function usageObject(usage: LabUsage, reply: Reply): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: reasoningTokens(reply, usage.output) },
    total_tokens: usage.input + usage.output,
  }
}
