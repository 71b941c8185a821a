import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import fc from 'fast-check'
import { injectedWords, MAX_ITEMS, PNG, toolInput, wholeTurns, words } from '../arbitrary-parts.test-data.ts'
import type { LangChainRequest } from './items.ts'

type Content = string | readonly object[]

/** The classes write into what they are given, and laws freeze what they are given. */
function copied<T>(value: T): T {
  return structuredClone(value)
}

/** Some callers mark what Anthropic shall cache. */
const marks = fc.constantFrom(...Array.from({ length: 15 }, () => ({})), { cache_control: { type: 'ephemeral' } })

const textEntries = fc.array(
  fc.tuple(words, marks).map(([text, mark]) => ({ type: 'text', text, ...mark })),
  { minLength: 1, maxLength: 3 },
)

const userEntries: fc.Arbitrary<readonly object[]> = fc.array(
  fc.oneof(
    words.map((text) => ({ type: 'text', text })),
    injectedWords.map((text) => ({ type: 'text', text })),
    fc.constantFrom<object>(
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
      { type: 'image_url', image_url: 'https://example.com/a.png' },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
      { type: 'file', fileId: 'file_1' },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'hologram', depth: 3 },
    ),
  ),
  { minLength: 1, maxLength: 3 },
)

interface CallSpec {
  readonly args: object
  readonly result: Content
  readonly failed: boolean
  readonly named: boolean
}

function call(): fc.Arbitrary<CallSpec> {
  return fc.record({
    args: toolInput,
    result: fc.oneof(
      { weight: 4, arbitrary: words },
      { weight: 1, arbitrary: textEntries },
      {
        weight: 1,
        arbitrary: fc.constant([
          { type: 'text', text: 'A picture.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ]),
      },
      { weight: 1, arbitrary: fc.constant('') },
    ),
    failed: fc.boolean(),
    named: fc.boolean(),
  })
}

/** How the message of a step came to be: each provider's integration writes it in its own way. */
const forms = fc.constantFrom(
  'plain',
  'plain',
  'anthropic',
  'anthropic-streamed',
  'openai',
  'openai-raw',
  'responses',
  'streamed',
  'standard',
  'gemini',
)
type Form = 'plain' | 'anthropic' | 'anthropic-streamed' | 'openai' | 'openai-raw' | 'responses' | 'streamed'
type AnyForm = Form | 'standard' | 'gemini'

interface StepSpec {
  readonly form: AnyForm
  readonly says: string
  readonly thinks: boolean
  readonly calls: readonly CallSpec[]
}

function step(): fc.Arbitrary<StepSpec> {
  return fc.record({
    form: forms as fc.Arbitrary<AnyForm>,
    says: fc.oneof(words, fc.constant('')),
    thinks: fc.boolean(),
    calls: fc.array(call(), { minLength: 1, maxLength: 4 }),
  })
}

interface TurnSpec {
  readonly before: 'nothing' | 'system' | 'summary' | 'older'
  readonly user: Content
  readonly name: string | undefined
  readonly steps: readonly StepSpec[]
  readonly answer: { readonly form: AnyForm; readonly says: string; readonly thinks: boolean }
  /** Call ids start again from 1, as some servers number them. */
  readonly reusesIds: boolean
}

function turn(): fc.Arbitrary<TurnSpec> {
  return fc.record({
    before: fc.constantFrom('nothing', 'nothing', 'nothing', 'nothing', 'system', 'summary', 'older'),
    user: fc.oneof(words, userEntries),
    name: fc.option(fc.constant('ann'), { nil: undefined }),
    steps: fc.array(step(), { maxLength: 3 }),
    answer: fc.record({ form: forms as fc.Arbitrary<AnyForm>, says: words, thinks: fc.boolean() }),
    reusesIds: fc.boolean(),
  })
}

interface Counter {
  calls: number
  messages: number
}

function writeTurn(spec: TurnSpec, counter: Counter, isOpen: boolean): readonly BaseMessage[] {
  if (spec.reusesIds) counter.calls = 0
  const user = new HumanMessage({
    content: copied(spec.user) as string,
    id: `human-${++counter.messages}`,
    ...(spec.name !== undefined && { name: spec.name }),
  })
  const answer = isOpen ? [] : [writeAnswer(spec.answer, [], counter)]
  return [...beforeTurn(spec.before), user, ...spec.steps.flatMap((one) => writeStep(one, counter)), ...answer]
}

function beforeTurn(before: TurnSpec['before']): readonly BaseMessage[] {
  switch (before) {
    case 'system':
      return [new SystemMessage('Be brief.')]
    case 'summary':
      return [new HumanMessage({ content: 'What was.', additional_kwargs: { lc_source: 'summarization' } })]
    case 'older':
      return [
        new ChatMessage({ content: 'Look it up.', role: 'user' }),
        new AIMessage({ content: '', additional_kwargs: { function_call: { name: 'lookup', arguments: '{"a":1}' } } }),
        new FunctionMessage({ content: 'found', name: 'lookup' }),
      ]
    default:
      return []
  }
}

function writeStep(spec: StepSpec, counter: Counter): readonly BaseMessage[] {
  const calls = spec.calls.map((one) => ({ one, id: `call_${++counter.calls}` }))
  const results = calls.map(
    ({ one, id }) =>
      new ToolMessage({
        content: copied(one.result) as string,
        tool_call_id: id,
        ...(one.named && { name: 'read' }),
        ...(one.failed && { status: 'error' as const }),
        artifact: { full: 'for the program' },
      }),
  )
  const written = calls.map(({ one, id }) => ({ id, name: 'read', args: copied(one.args) as Record<string, unknown> }))
  return [writeAnswer(spec, written, counter), ...results]
}

interface WrittenCall {
  readonly id: string
  readonly name: string
  readonly args: Record<string, unknown>
}

function writeAnswer(
  { form, says, thinks }: { readonly form: AnyForm; readonly says: string; readonly thinks: boolean },
  calls: readonly WrittenCall[],
  counter: Counter,
): BaseMessage {
  const own = calls.map((one) => ({ ...copied(one), type: 'tool_call' as const }))
  const id = `run-${++counter.messages}`
  switch (form) {
    case 'anthropic':
      return new AIMessage({
        content: [...thinking(thinks), ...texts(says), ...toolUses(calls)],
        tool_calls: own,
        response_metadata: { model_provider: 'anthropic', stop_reason: 'tool_use' },
        id: `msg_${id}`,
      })
    case 'anthropic-streamed':
      return new AIMessageChunk({
        content: [
          ...thinking(thinks),
          ...texts(says),
          ...calls.flatMap((one, at) => [
            { type: 'tool_use', id: one.id, name: one.name, input: '', index: at + 2 },
            { type: 'input_json_delta', index: at + 2, input: JSON.stringify(one.args) },
          ]),
        ],
        tool_call_chunks: chunks(calls),
        id,
      })
    case 'openai':
      return new AIMessage({
        content: says,
        tool_calls: own,
        additional_kwargs: {
          ...(calls.length > 0 && { tool_calls: rawCalls(calls) }),
          ...(thinks && { reasoning_content: 'Let me see.' }),
        },
        id,
      })
    case 'openai-raw': {
      const message = new AIMessage({ content: says, id })
      if (calls.length > 0) message.additional_kwargs.tool_calls = rawCalls(calls)
      return message
    }
    case 'responses':
      return new AIMessage({
        content: [...texts(says)],
        tool_calls: own,
        additional_kwargs: {
          ...(thinks && {
            reasoning: { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
          }),
          __openai_function_call_ids__: Object.fromEntries(calls.map((one) => [one.id, `fc_${one.id}`])),
          ...(calls.length === 0 && { refusal: 'No.' }),
        },
        response_metadata: { output: [{ type: 'message', id: 'msg_1', content: [] }] },
        id: `msg_${id}`,
      })
    case 'streamed':
      return new AIMessageChunk({ content: says, tool_call_chunks: chunks(calls), id })
    case 'standard':
      return new AIMessage({
        contentBlocks: [
          ...(thinks ? [{ type: 'reasoning' as const, reasoning: 'Hm.' }] : []),
          ...(says === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: says }]),
          ...own,
        ],
      })
    case 'gemini':
      return new AIMessage({
        content: says,
        tool_calls: own,
        additional_kwargs: { thought_signatures: Object.fromEntries(calls.slice(0, 1).map((one) => [one.id, 'c2ln'])) },
      })
    default:
      return new AIMessage({ content: says, tool_calls: own })
  }
}

function thinking(thinks: boolean): { type: string }[] {
  return thinks
    ? [
        { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' } as { type: string },
        { type: 'redacted_thinking', data: 'abc' } as { type: string },
      ]
    : []
}

function texts(says: string): { type: 'text'; text: string }[] {
  return says === '' ? [] : [{ type: 'text', text: says }]
}

function toolUses(calls: readonly WrittenCall[]): { type: string }[] {
  return calls.map((one) => ({ type: 'tool_use', id: one.id, name: one.name, input: copied(one.args) }))
}

function chunks(calls: readonly WrittenCall[]) {
  return calls.map((one, index) => ({
    type: 'tool_call_chunk' as const,
    index,
    id: one.id,
    name: one.name,
    args: JSON.stringify(one.args),
  }))
}

function rawCalls(calls: readonly WrittenCall[]) {
  return calls.map((one) => ({
    id: one.id,
    type: 'function' as const,
    function: { name: one.name, arguments: JSON.stringify(one.args) },
  }))
}

const settings = fc.record(
  {
    model: fc.constantFrom<unknown>('openai:gpt-5.6', { model: 'claude-sonnet-5-5' }, { bound: { modelName: 'x' } }),
    tools: fc.constant([{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }]),
    systemMessage: fc
      .constantFrom('', 'You are a careful agent.')
      .map((text) => new SystemMessage(text) as unknown as NonNullable<LangChainRequest['systemMessage']>),
    modelSettings: fc.constantFrom<Record<string, unknown>>(
      { temperature: 0 },
      { previous_response_id: 'resp_1', temperature: 0 },
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    ),
    state: fc.constant({ todo: [] }),
  },
  { requiredKeys: ['model'] },
)

/**
 * Valid calls to a model of 1 to 60 messages of LangChain's own classes: written as each integration writes them, whole or
 * streamed, with pictures, thinking, failed tools, call ids that come again in a later turn, and summaries of others.
 */
export const arbitraryRequest: fc.Arbitrary<LangChainRequest> = fc
  .record({
    settings,
    opening: fc.boolean(),
    turns: fc.array(turn(), { minLength: 1, maxLength: 6 }),
    isOpen: fc.boolean(),
  })
  .map(({ settings: own, opening, turns, isOpen }) => {
    const leading = opening ? [new SystemMessage('Rule 1')] : []
    const counter = { calls: 0, messages: 0 }
    const written = turns.map((one, index) => writeTurn(one, counter, isOpen && index === turns.length - 1))
    // A system message of the first turn would lead.
    const messages = [...leading, ...wholeTurns(written, MAX_ITEMS - leading.length)]
    return { ...own, messages: messages as unknown as LangChainRequest['messages'] } as LangChainRequest
  })
