import fc from 'fast-check'
import { EXACT, MAX_ITEMS, toolInputText, wholeTurns, words } from '../arbitrary-parts.test-data.ts'
import type { ChatMessage, ChatRequest } from './items.ts'

function settings(): fc.Arbitrary<Omit<ChatRequest, 'messages'>> {
  return fc.record(
    {
      model: fc.constantFrom('gpt-5.6', 'deepseek-reasoner', 'some-server/model'),
      tools: fc.constant([{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }]),
      max_tokens: fc.integer({ min: 1, max: 64_000 }),
      max_completion_tokens: fc.integer({ min: 1, max: 64_000 }),
      stream: fc.boolean(),
      seed: fc.constantFrom(1, 2),
      metadata: fc.constant({ trace: 'a1' }),
    },
    { requiredKeys: ['model'] },
  )
}

/** A valid PNG head of 640 x 480. */
const IMAGE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk'

/** Some clients mark what the provider behind their router shall cache. */
const marks = fc.constantFrom(...Array.from({ length: 15 }, () => ({})), { cache_control: { type: 'ephemeral' } })

const textParts = fc.array(
  fc.tuple(words, marks).map(([text, mark]) => ({ type: 'text', text, ...mark })),
  { minLength: 1, maxLength: 3 },
)

const userParts = fc.array(
  fc.oneof(
    words.map((text) => ({ type: 'text', text })),
    fc.constantFrom(
      { type: 'image_url', image_url: { url: IMAGE, detail: 'high' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'hologram', depth: 3 },
    ),
  ),
  { minLength: 1, maxLength: 3 },
)

interface CallSpec {
  readonly kind: 'function' | 'custom'
  readonly input: string
  readonly text: string
  readonly result: string | readonly object[]
  readonly extra: boolean
}

function call(): fc.Arbitrary<CallSpec> {
  return fc.record({
    kind: fc.constantFrom('function', 'function', 'function', 'custom'),
    input: fc.oneof({ weight: 9, arbitrary: toolInputText }, { weight: 1, arbitrary: fc.constant('') }),
    text: words,
    result: fc.oneof(
      { weight: 3, arbitrary: words },
      { weight: 1, arbitrary: textParts },
      { weight: 1, arbitrary: fc.constant('') },
    ),
    extra: fc.boolean(),
  })
}

const reasonings = fc.constantFrom<object>(
  {},
  {},
  { reasoning_content: 'Let me see.' },
  { reasoning_content: '' },
  { reasoning: 'Let me see.', reasoning_details: [{ type: 'reasoning.encrypted', data: 'abc' }] },
)

interface StepSpec {
  readonly reasoning: object
  readonly says: string | readonly object[] | null | undefined
  /** Empty: a call of the older form. */
  readonly calls: readonly CallSpec[]
  readonly older: CallSpec
  readonly extra: boolean
}

function step(): fc.Arbitrary<StepSpec> {
  return fc.record({
    reasoning: reasonings,
    says: fc.oneof(words, textParts, fc.constantFrom(null, undefined, '')),
    calls: fc.oneof(
      { weight: 9, arbitrary: fc.array(call(), { minLength: 1, maxLength: 6 }) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    older: call(),
    extra: fc.boolean(),
  })
}

interface TurnSpec {
  readonly before: 'nothing' | 'developer' | 'system'
  readonly user: string | readonly object[]
  readonly name: string | undefined
  readonly steps: readonly StepSpec[]
  readonly answer: object
  /** Call ids start again from 1, as some servers number them. */
  readonly reusesIds: boolean
}

function turn(): fc.Arbitrary<TurnSpec> {
  return fc.record({
    before: fc.constantFrom('nothing', 'nothing', 'nothing', 'developer', 'system'),
    user: fc.oneof(words, userParts),
    name: fc.option(fc.constant('ann'), { nil: undefined }),
    steps: fc.array(step(), { maxLength: 3 }),
    answer: fc.oneof(
      fc
        .record({ content: fc.oneof(words, textParts), reasoning: reasonings })
        .map(({ content, reasoning }) => ({ content, ...reasoning })),
      fc.constantFrom(
        { content: null, refusal: 'I cannot help with that.' },
        { content: [{ type: 'refusal', refusal: 'No.' }] },
        { content: null, audio: { id: 'audio_1' } },
      ),
    ),
    reusesIds: fc.boolean(),
  })
}

function writeTurn(spec: TurnSpec, counter: { calls: number }, isOpen: boolean): readonly ChatMessage[] {
  if (spec.reusesIds) counter.calls = 0
  const before = spec.before === 'nothing' ? [] : [{ role: spec.before, content: 'Be brief.' }]
  const user = { role: 'user', content: spec.user, ...(spec.name !== undefined && { name: spec.name }) } as ChatMessage
  const answer = isOpen ? [] : [{ role: 'assistant', ...spec.answer }]
  return [...before, user, ...spec.steps.flatMap((one) => writeStep(one, counter)), ...answer]
}

function writeStep(spec: StepSpec, counter: { calls: number }): readonly ChatMessage[] {
  const head = {
    role: 'assistant',
    ...(spec.says !== undefined && { content: spec.says }),
    ...spec.reasoning,
    ...(spec.extra && { x_provider: { route: EXACT } }),
  }
  if (spec.calls.length === 0) return olderStep(head, spec.older)
  const written = spec.calls.map((one) => ({ one, id: `call_${++counter.calls}` }))
  const calls = written.map(({ one, id }) => ({ id, type: one.kind, ...callFields(one) }))
  const results = written.map(({ one, id }) => ({ role: 'tool', tool_call_id: id, content: one.result }))
  return [{ ...head, tool_calls: calls }, ...results] as readonly ChatMessage[]
}

function olderStep(head: object, spec: CallSpec): readonly ChatMessage[] {
  const name = 'lookup'
  const called = { ...head, function_call: { name, arguments: spec.input } }
  return [called, { role: 'function', name, content: spec.text }] as readonly ChatMessage[]
}

function callFields({ kind, input, text, extra }: CallSpec): object {
  const own =
    kind === 'function' ? { function: { name: 'read', arguments: input } } : { custom: { name: 'patch', input: text } }
  return { ...own, ...(extra && { extra_content: { google: { thought_signature: 'c2ln' } }, index: 0 }) }
}

/**
 * Valid Chat Completions requests of 1 to 60 messages: parallel calls, custom tools and the older form, content as strings
 * and lists, pictures, files and sound, reasoning of several servers, fields that nobody knows, call ids that come again
 * in a later turn; ending in the user's words, in results, or in an answer.
 */
export const arbitraryRequest: fc.Arbitrary<ChatRequest> = fc
  .record({
    settings: settings(),
    opening: fc.array(fc.constantFrom('system', 'developer'), { maxLength: 2 }),
    turns: fc.array(turn(), { minLength: 1, maxLength: 6 }),
    isOpen: fc.boolean(),
  })
  .map(({ settings, opening, turns, isOpen }) => {
    const leading = opening.map((role, index) => ({ role, content: `Rule ${index}` }))
    const counter = { calls: 0 }
    const messages = turns.map((one, index) => writeTurn(one, counter, isOpen && index === turns.length - 1))
    return { ...settings, messages: [...leading, ...wholeTurns(messages, MAX_ITEMS - leading.length)] }
  })
