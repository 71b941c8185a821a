import fc from 'fast-check'
import { anyJson, EXACT, injectedWords, MAX_ITEMS, toolInput, words } from '../arbitrary-parts.test-data.ts'
import type { AnthropicBlock, AnthropicMessage, AnthropicRequest } from './items.ts'

type Tail = 'user' | 'results' | 'answer'

const BASE = {
  model: 'claude-opus-4-8',
  max_tokens: 8_192,
  tools: [{ name: 'run', description: 'Runs a command.', input_schema: { type: 'object' } }],
}

function text(): fc.Arbitrary<AnthropicBlock> {
  return words.map((value) => ({ type: 'text', text: value }))
}

function reminder(): fc.Arbitrary<AnthropicBlock> {
  return injectedWords.map((value) => ({ type: 'text', text: value }))
}

const IMAGE: AnthropicBlock = {
  type: 'image',
  source: {
    type: 'base64',
    media_type: 'image/gif',
    data: 'R0lGODlhAgADAIAAAAUEBAAAACwAAAAAAgADAAACAkQBADs=',
  },
}

function media(): fc.Arbitrary<AnthropicBlock> {
  return fc.oneof(
    fc.constant(IMAGE),
    fc.constant<AnthropicBlock>({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }),
    fc.constant<AnthropicBlock>({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
    }),
    words.map((data) => ({ type: 'document', source: { type: 'text', media_type: 'text/plain', data } })),
  )
}

function unknownBlock(): fc.Arbitrary<AnthropicBlock> {
  return fc.record({
    type: fc.constantFrom('future_block', 'container_upload'),
    payload: anyJson,
  })
}

function thinking(): fc.Arbitrary<AnthropicBlock> {
  return fc.oneof(
    {
      weight: 3,
      arbitrary: words.map((value) => ({ type: 'thinking', thinking: value, signature: `sig-${value.length}` })),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'thinking', thinking: '', signature: 'sig-of-hidden-thinking' }) },
    { weight: 1, arbitrary: fc.constant({ type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }) },
  )
}

/** A turn: the user speaks, the assistant works in steps, and answers. */
function arbitraryTurn(): fc.Arbitrary<AnthropicMessage[]> {
  return fc
    .record({
      user: arbitraryUser(),
      system: fc.array(arbitrarySystemMessage(), { maxLength: 2 }),
      steps: fc.array(arbitraryStep(), { maxLength: 4 }),
      answer: arbitraryAnswer(),
    })
    .map(({ user, system, steps, answer }) => [user, ...system, ...steps.flat(), answer])
}

function arbitraryUser(): fc.Arbitrary<AnthropicMessage> {
  const blocks = fc
    .tuple(
      fc.array(reminder(), { maxLength: 1 }),
      text(),
      fc.array(fc.oneof(media(), unknownBlock(), text()), { maxLength: 2 }),
    )
    .map((parts) => parts.flat())
  return fc.oneof(
    words.map((content) => ({ role: 'user', content })),
    blocks.map((content) => ({ role: 'user', content })),
    blocks.map((content) => ({ role: 'user', content, x_client: { note: 'kept', number: EXACT } })),
  )
}

/** What the system says inside the conversation: text, a tool change, or settings alone. */
function arbitrarySystemMessage(): fc.Arbitrary<AnthropicMessage> {
  return fc.oneof(
    { weight: 2, arbitrary: words.map((content) => ({ role: 'system', content })) },
    { weight: 1, arbitrary: text().map((block) => ({ role: 'system', content: [block] })) },
    {
      weight: 1,
      arbitrary: fc.constant<AnthropicMessage>({
        role: 'system',
        content: [{ type: 'tool_addition', ...{ tool: { type: 'tool_reference', name: 'run' } } }],
      }),
    },
    { weight: 1, arbitrary: fc.constant({ role: 'system', content: [], output_config: { effort: 'low' } }) },
  )
}

/** One step: a batch of calls with thinking before it, and its results, with the user's own words behind them at times. */
function arbitraryStep(): fc.Arbitrary<AnthropicMessage[]> {
  return fc
    .record({
      compaction: fc.constantFrom<readonly AnthropicBlock[]>([], [], [], [], [], COMPACTION, FAILED_COMPACTION),
      opening: fc.array(thinking(), { maxLength: 2 }),
      said: fc.array(fc.oneof(text(), unknownBlock()), { maxLength: 1 }),
      server: fc.constantFrom<ServerTool>('none', 'none', 'pair', 'pending'),
      calls: fc.uniqueArray(arbitraryCall(), { minLength: 1, maxLength: 6, selector: ({ id }) => id }),
      behind: fc.array(fc.oneof(reminder(), text(), media()), { maxLength: 2 }),
      system: fc.array(arbitrarySystemMessage(), { maxLength: 1 }),
    })
    .map(stepOf)
}

/** Ids come from a few, so that they repeat from turn to turn. */
function arbitraryCall(): fc.Arbitrary<Call> {
  return fc.record({
    id: fc.integer({ min: 1, max: 9 }).map((number) => `toolu_${number}`),
    input: toolInput,
    result: arbitraryResult(),
  })
}

interface Call {
  readonly id: string
  readonly input: object
  readonly result: Partial<AnthropicBlock>
}

/** What the provider put in the place of all before it, and what it says where it could not. */
const COMPACTION: readonly AnthropicBlock[] = [{ type: 'compaction', content: 'Until here: much.' }]
const FAILED_COMPACTION: readonly AnthropicBlock[] = [{ type: 'compaction', content: null }]

type ServerTool = 'none' | 'pair' | 'pending'

const SERVER_CALL: AnthropicBlock = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'q' },
}
const SERVER_RESULT: AnthropicBlock = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', title: 't', url: 'https://example.com', encrypted_content: 'RW5jcnlwdGVk' }],
}

function stepOf(step: {
  compaction: readonly AnthropicBlock[]
  opening: AnthropicBlock[]
  said: AnthropicBlock[]
  server: ServerTool
  calls: Call[]
  behind: AnthropicBlock[]
  system: AnthropicMessage[]
}): AnthropicMessage[] {
  const server = step.server === 'pair' ? [SERVER_CALL, SERVER_RESULT] : step.server === 'pending' ? [SERVER_CALL] : []
  const calls = step.calls.map(({ id, input }) => ({ type: 'tool_use', id, name: 'run', input }))
  const results = step.calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, ...result }))
  // While a server tool has not answered, the user sends results alone.
  const behind = step.server === 'pending' ? [] : step.behind
  const late: AnthropicMessage[] =
    step.server === 'pending'
      ? [
          { role: 'assistant', content: [SERVER_RESULT] },
          { role: 'user', content: 'go on' },
        ]
      : []
  return [
    { role: 'assistant', content: [...step.compaction, ...step.opening, ...step.said, ...server, ...calls] },
    { role: 'user', content: [...results, ...behind] },
    ...late,
    ...step.system,
  ]
}

function arbitraryResult(): fc.Arbitrary<Partial<AnthropicBlock>> {
  const content = fc.oneof(
    words,
    fc.constant(''),
    fc.constant([]),
    words.map((value) => value.repeat(50)),
    fc.array(fc.oneof(text(), media(), fc.constant<AnthropicBlock>({ type: 'tool_reference' })), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  return fc.oneof(
    content.map((value) => ({ content: value })),
    content.map((value) => ({ content: value, is_error: true })),
    fc.constant({}),
  )
}

function arbitraryAnswer(): fc.Arbitrary<AnthropicMessage> {
  const said = words.map((value) => value.trimEnd())
  return fc.oneof(
    said.map((content) => ({ role: 'assistant', content })),
    fc
      .tuple(fc.array(thinking(), { maxLength: 1 }), said)
      .map(([before, value]) => ({ role: 'assistant', content: [...before, { type: 'text', text: value }] })),
  )
}

function arbitrarySystem(): fc.Arbitrary<string | AnthropicBlock[]> {
  return fc.oneof(words, fc.array(text(), { minLength: 1, maxLength: 3 }))
}

function arbitraryExtras(): fc.Arbitrary<object> {
  return fc.record(
    {
      metadata: fc.record({ user_id: words }),
      x_future: anyJson,
      stream: fc.boolean(),
      thread: fc.constantFrom({ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }),
      thinking: fc.constantFrom({ type: 'adaptive' }, { type: 'enabled', budget_tokens: 2_048 }),
    },
    { requiredKeys: [] },
  )
}

/** Cuts the list where a client could have sent it: behind user text, behind results, or behind an answer. */
function withTail(messages: readonly AnthropicMessage[], tail: Tail): readonly AnthropicMessage[] {
  const isEnd = (message: AnthropicMessage) => {
    if (tail === 'answer') return message.role === 'assistant' && !hasCall(message)
    return message.role === 'user' && (tail === 'user') !== hasResult(message)
  }
  const within = messages.slice(0, MAX_ITEMS)
  const end = within.findLastIndex((message) => isEnd(message) && !hasPendingServerCall(message))
  return end < 0 ? within.slice(0, 1) : within.slice(0, end + 1)
}

function has(message: AnthropicMessage, type: string): boolean {
  return Array.isArray(message.content) && message.content.some((block) => block.type === type)
}

function hasCall(message: AnthropicMessage): boolean {
  return has(message, 'tool_use')
}

function hasResult(message: AnthropicMessage): boolean {
  return has(message, 'tool_result')
}

function hasPendingServerCall(message: AnthropicMessage): boolean {
  return has(message, 'server_tool_use') && !has(message, 'web_search_tool_result')
}

/** Marks blocks that may carry one; hour-long marks come first. */
function withMarks(request: AnthropicRequest, marks: readonly { at: number; hour: boolean }[]): AnthropicRequest {
  const places = request.messages.flatMap((message, position) =>
    Array.isArray(message.content)
      ? message.content.flatMap((block: AnthropicBlock, part: number) =>
          mayCarryMark(block) ? [{ position, part }] : [],
        )
      : [],
  )
  if (places.length === 0) return request
  const chosen = new Set(marks.map((mark) => mark.at % places.length))
  const hours = marks.filter((mark) => mark.hour).length
  const rank = new Map([...chosen].sort((a, b) => a - b).map((place, index) => [place, index]))
  const messages = request.messages.map((message, position) => {
    if (!Array.isArray(message.content)) return message
    const content = message.content.map((block: AnthropicBlock, part: number) => {
      const order = rank.get(places.findIndex((place) => place.position === position && place.part === part))
      if (order === undefined) return block
      return { ...block, cache_control: { type: 'ephemeral', ...(order < hours && { ttl: '1h' }) } }
    })
    return { ...message, content }
  })
  return { ...request, messages }
}

function mayCarryMark(block: AnthropicBlock): boolean {
  return !['thinking', 'redacted_thinking'].includes(block.type)
}

/** Valid Messages requests of 1 to 60 messages, with everything in them that real clients send. */
export const arbitraryRequest: fc.Arbitrary<AnthropicRequest> = fc
  .record({
    turns: fc.array(arbitraryTurn(), { minLength: 1, maxLength: 7 }),
    tail: fc.constantFrom<Tail>('user', 'results', 'answer'),
    marks: fc.array(fc.record({ at: fc.nat(), hour: fc.boolean() }), { maxLength: 4 }),
    system: fc.option(arbitrarySystem(), { nil: undefined }),
    extras: arbitraryExtras(),
  })
  .map(({ turns, tail, marks, system, extras }) => {
    const messages = withTail(turns.flat(), tail)
    return withMarks({ ...BASE, ...(system !== undefined && { system }), ...extras, messages }, marks)
  })
