import fc from 'fast-check'
import { EXACT, injectedWords, MAX_ITEMS, PNG, PNG_BYTES, toolInput, words } from '../arbitrary-parts.test-data.ts'
import type { AiSdkCallOptions, AiSdkMessage, AiSdkPart, AiSdkRequest, ProviderOptions } from './items.ts'

/** A part with all its fields: the published type names only those that every part has. */
type Part = AiSdkPart & { readonly [field: string]: unknown }

/** Options that stand on parts: item ids, signatures, cache marks, none. */
const marks = fc.constantFrom<ProviderOptions | undefined>(
  undefined,
  undefined,
  { anthropic: { cacheControl: { type: 'ephemeral' } } },
  { custom: { note: 'kept', number: EXACT } },
)

const itemId = fc
  .nat({ max: 99 })
  .map((id): ProviderOptions => ({ openai: { itemId: `msg_${id}`, phase: 'commentary' }, custom: { note: 'kept' } }))

const signature = fc.constantFrom<ProviderOptions>(
  { anthropic: { signature: 'c2lnbmF0dXJl' } },
  { google: { thoughtSignature: 'c2lnbmF0dXJl' } },
  { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'ZW5j' } },
)

function withOptions(part: Part, options: ProviderOptions | undefined): Part {
  return options === undefined ? part : { ...part, providerOptions: options }
}

/** Files as every version of the prompt writes them. */
const filePart = fc.constantFrom<Part>(
  { type: 'file', mediaType: 'image/png', data: PNG },
  { type: 'file', mediaType: 'image/png', data: PNG_BYTES, filename: undefined },
  { type: 'file', mediaType: 'image/*', data: new URL('https://example.com/a.png') },
  { type: 'file', mediaType: 'image', data: { type: 'data', data: PNG_BYTES } },
  { type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: new URL('https://example.com/a.pdf') } },
  { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', data: 'JVBERi0xLjQKJSVFT0Y=' },
  { type: 'file', mediaType: 'application/pdf', data: { type: 'reference', reference: { openai: 'file_1' } } },
  { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'words of a file' } },
)

const injected = injectedWords.map((text): Part => ({ type: 'text', text }))

const textPart = fc.tuple(words, marks).map(([text, options]) => withOptions({ type: 'text', text }, options))

const userMessage: fc.Arbitrary<AiSdkMessage> = fc
  .record({
    content: fc.oneof(
      { weight: 3, arbitrary: textPart.map((part): AiSdkPart[] => [part]) },
      { weight: 1, arbitrary: fc.tuple(injected, textPart).map((parts): AiSdkPart[] => parts) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(textPart, fc.array(filePart, { minLength: 1, maxLength: 3 }))
          .map(([text, files]): AiSdkPart[] => [text, ...files]),
      },
    ),
    providerOptions: marks,
  })
  .map(({ content, providerOptions }) => ({ role: 'user', content, providerOptions }))

const reasoningPart = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(words, signature).map(([text, s]) => withOptions({ type: 'reasoning', text }, s)) },
  { weight: 1, arbitrary: fc.constant<Part>({ type: 'reasoning-file', mediaType: 'image/png', data: PNG }) },
)

const assistantText = fc
  .tuple(words, fc.oneof(marks, itemId))
  .map(([text, options]) => withOptions({ type: 'text', text }, options))

/** Parts of the provider alone, and parts that this library does not know. */
const foreignPart = fc.constantFrom<readonly Part[]>(
  [],
  [],
  [],
  [
    {
      type: 'custom',
      kind: 'openai.compaction',
      providerOptions: { openai: { itemId: 'cmp_1', encryptedContent: 'e' } },
    },
  ],
  [{ type: 'text', text: 'earlier', providerOptions: { anthropic: { type: 'compaction' } } }],
  [{ type: 'future-part', deep: [1, { a: null }] }],
  [
    { type: 'tool-call', toolCallId: 'srv', toolName: 'web_search', input: { query: 'q' }, providerExecuted: true },
    { type: 'tool-result', toolCallId: 'srv', toolName: 'web_search', output: { type: 'json', value: [{ url: 'u' }] } },
  ],
)

const contentBlock = fc.oneof(
  { weight: 3, arbitrary: words.map((text): object => ({ type: 'text', text })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object>(
      { type: 'image-data', data: PNG, mediaType: 'image/png' },
      { type: 'media', data: PNG, mediaType: 'image/png' },
      { type: 'file-data', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file-url', url: 'https://example.com/a.pdf' },
      { type: 'image-url', url: 'https://example.com/a.png' },
      { type: 'file-id', fileId: { openai: 'file_1' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG_BYTES } },
      { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName: 'x' } } },
    ),
  },
)

const output: fc.Arbitrary<object> = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'error-text'), value: words }),
  fc.record({ type: fc.constantFrom('json', 'error-json'), value: fc.jsonValue({ maxDepth: 2 }) }),
  fc.record({
    type: fc.constant('content'),
    value: fc.array(contentBlock, { minLength: 1, maxLength: 4 }),
    providerOptions: marks,
  }),
  fc.record({ type: fc.constant('execution-denied'), reason: words }),
)

interface Call {
  readonly name: string
  readonly input: object
  readonly output: object
  readonly options: ProviderOptions | undefined
  /** Was the user asked first? */
  readonly approval: 'none' | 'approved' | 'denied'
}

interface Step {
  readonly before: readonly AiSdkPart[]
  readonly calls: readonly Call[]
  /** One tool message for all results, or one for each. */
  readonly split: boolean
}

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('read_file', 'read_file', 'run', 'grep'),
  input: toolInput,
  output,
  options: fc.oneof(
    { weight: 3, arbitrary: marks },
    { weight: 1, arbitrary: itemId },
    { weight: 1, arbitrary: signature },
  ),
  approval: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constantFrom('approved' as const, 'denied' as const) },
  ),
})

/** One model call with 1 to 6 parallel calls, and all its results. */
const step: fc.Arbitrary<Step> = fc.record({
  before: fc
    .tuple(fc.array(reasoningPart, { maxLength: 2 }), fc.array(assistantText, { maxLength: 1 }), foreignPart)
    .map((parts) => parts.flat()),
  calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  split: fc.boolean(),
})

interface Turn {
  readonly user: AiSdkMessage
  readonly steps: readonly Step[]
  /** Missing: the user spoke into the turn, or it is still open. */
  readonly answer: readonly AiSdkPart[] | undefined
}

const turn: fc.Arbitrary<Turn> = fc.record({
  user: userMessage,
  steps: fc.array(step, { maxLength: 3 }),
  answer: fc.option(
    fc
      .tuple(
        fc.array(reasoningPart, { maxLength: 1 }),
        fc.array(fc.oneof({ weight: 4, arbitrary: assistantText }, { weight: 1, arbitrary: filePart }), {
          minLength: 1,
          maxLength: 2,
        }),
        foreignPart,
      )
      .map((parts) => parts.flat()),
    { nil: undefined, freq: 3 },
  ),
})

const body = fc.constantFrom<Omit<AiSdkCallOptions, 'prompt'> | 'prompt alone'>(
  'prompt alone',
  {},
  { maxOutputTokens: 8192, temperature: 0, headers: { 'x-team': 'a' } } as Omit<AiSdkCallOptions, 'prompt'>,
  { providerOptions: { openai: { previousResponseId: 'resp_1', store: true }, custom: { conversation: 1 } } },
  {
    maxOutputTokens: 4096,
    tools: [{ type: 'function', name: 'read_file', inputSchema: { type: 'object' } }],
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } },
  },
)

/** Valid requests of 1 to 60 items behind up to two system messages: the dialect's check finds nothing in them. */
export const arbitraryRequest: fc.Arbitrary<AiSdkRequest> = fc
  .record({
    system: fc.array(fc.record({ role: fc.constant('system' as const), content: words, providerOptions: marks }), {
      maxLength: 2,
    }),
    turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    openEnd: fc.constantFrom('as it is', 'user', 'tool', 'approval asked', 'approval given'),
    body,
  })
  .map(({ system, turns, openEnd, body }) => {
    const prompt = [...system, ...endingIn(openEnd, turns.flatMap(turnMessages))]
    return body === 'prompt alone' ? prompt : { ...body, prompt }
  })

type End = 'as it is' | 'user' | 'tool' | 'approval asked' | 'approval given'

function endingIn(end: End, messages: readonly AiSdkMessage[]): readonly AiSdkMessage[] {
  // Three items may be the end.
  const wanted = messages.slice(0, MAX_ITEMS - 3).findLastIndex((message, at) => {
    if (end === 'user') return message.role === 'user'
    // A step with its last result, so that no call stays open.
    const complete = messages[at + 1]?.role !== 'tool' && (message.role !== 'assistant' || !hasCalls(message))
    return complete && (end !== 'tool' || message.role === 'tool')
  })
  const kept = messages.slice(0, wanted < 0 ? 1 : wanted + 1)
  if (end !== 'approval asked' && end !== 'approval given') return kept
  const start = kept.at(-1)?.role === 'user' ? [] : [{ role: 'user' as const, content: [{ type: 'text', text: 'go' }] }]
  return [...kept, ...start, ...PENDING.slice(0, end === 'approval asked' ? 1 : 2)]
}

/** A call whose approval is asked, and given; its result is still to come. */
const PENDING: readonly AiSdkMessage[] = [
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'pending', toolName: 'deploy', input: { to: 'production' } } as Part,
      { type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'pending' } as Part,
    ],
  },
  { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ap', approved: true } as Part] },
]

function hasCalls(message: AiSdkMessage): boolean {
  const parts = typeof message.content === 'string' ? [] : message.content
  return parts.some((part) => part.type === 'tool-call' && !('providerExecuted' in part))
}

function turnMessages(turn: Turn, turnNumber: number): readonly AiSdkMessage[] {
  const steps = turn.steps.flatMap((one, at) => stepMessages(one, (turnNumber + at) % 2))
  const answer = turn.answer ?? (turn.steps.length === 0 ? [{ type: 'text', text: 'ok' } as AiSdkPart] : undefined)
  return [turn.user, ...steps, ...(answer === undefined ? [] : [{ role: 'assistant' as const, content: answer }])]
}

/** Ids repeat in the session: servers that number calls start again at each step. */
function stepMessages(step: Step, series: number): readonly AiSdkMessage[] {
  const calls = step.calls.map((one, at) => ({ ...one, id: `call_${series}_${at}` }))
  const asked = calls.filter((one) => one.approval !== 'none')
  const content: Part[] = [
    ...calls.map((one) =>
      withOptions({ type: 'tool-call', toolCallId: one.id, toolName: one.name, input: one.input }, one.options),
    ),
    ...asked.map((one) => ({ type: 'tool-approval-request', approvalId: `ap_${one.id}`, toolCallId: one.id })),
  ]
  const responses = asked.map(
    (one): Part => ({
      type: 'tool-approval-response',
      approvalId: `ap_${one.id}`,
      approved: one.approval === 'approved',
    }),
  )
  const results = calls.map((one): Part => {
    const output = one.approval === 'denied' ? { type: 'execution-denied', reason: 'too risky' } : one.output
    return { type: 'tool-result', toolCallId: one.id, toolName: one.name, output }
  })
  const tool = [
    ...(step.split ? responses.map((part) => [part]) : [responses]),
    ...(step.split ? results.map((part) => [part]) : [results]),
  ]
  return [
    { role: 'assistant', content: [...step.before, ...content] },
    ...tool.filter((parts) => parts.length > 0).map((parts) => ({ role: 'tool' as const, content: parts })),
  ]
}
