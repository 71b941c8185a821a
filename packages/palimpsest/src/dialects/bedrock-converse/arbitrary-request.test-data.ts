import fc from 'fast-check'
import { anyJson, EXACT, injectedWords, MAX_ITEMS, toolInput, words } from '../arbitrary-parts.test-data.ts'
import type { BedrockBlock, BedrockMessage, BedrockRequest } from './items.ts'

function text(): fc.Arbitrary<BedrockBlock> {
  return words.map((value) => ({ text: value }))
}

function reminder(): fc.Arbitrary<BedrockBlock> {
  return injectedWords.map((value) => ({ text: value }))
}

/** A GIF of 2 × 3 pixels, as it stands in a JSON body and in an object for the SDK. */
const PICTURE = 'R0lGODlhAgADAIAAAAUEBAAAACwAAAAAAgADAAACAkQBADs='
const PICTURE_BYTES = Uint8Array.from([71, 73, 70, 56, 57, 97, 2, 0, 3, 0, 0, 0, 0, 59])

function media(): fc.Arbitrary<BedrockBlock> {
  return fc.constantFrom<BedrockBlock>(
    { image: { format: 'gif', source: { bytes: PICTURE } } },
    { image: { format: 'gif', source: { bytes: PICTURE_BYTES } } },
    { image: { format: 'png', source: { s3Location: { uri: 's3://bucket/a.png' } } } },
    { document: { format: 'pdf', name: 'report', source: { bytes: 'JVBERi0xLjQK' } } },
    { document: { format: 'txt', name: 'notes', source: { text: 'plain notes' } } },
  )
}

function unknownBlock(): fc.Arbitrary<BedrockBlock> {
  return anyJson.map((payload) => ({ futureContent: { payload } }) as BedrockBlock)
}

function reasoning(): fc.Arbitrary<BedrockBlock> {
  return fc.oneof(
    {
      weight: 3,
      arbitrary: words.map((value) => ({ reasoningContent: { reasoningText: { text: value, signature: 's' } } })),
    },
    { weight: 1, arbitrary: fc.constant({ reasoningContent: { redactedContent: 'cmVkYWN0ZWQ=' } }) },
    { weight: 1, arbitrary: fc.constant({ reasoningContent: { redactedContent: PICTURE_BYTES } }) },
  )
}

/** A turn: the user speaks, the assistant works in steps, and answers. */
function arbitraryTurn(): fc.Arbitrary<BedrockMessage[]> {
  return fc
    .record({ user: arbitraryUser(), steps: fc.array(arbitraryStep(), { maxLength: 4 }), answer: arbitraryAnswer() })
    .map(({ user, steps, answer }) => [user, ...steps.flat(), answer])
}

function arbitraryUser(): fc.Arbitrary<BedrockMessage> {
  const behind = fc.array(fc.oneof(media(), unknownBlock(), text()), { maxLength: 2 })
  return fc
    .record(
      {
        content: fc.tuple(fc.array(reminder(), { maxLength: 1 }), fc.oneof(text(), guarded()), behind),
        note: fc.constant(EXACT),
      },
      { requiredKeys: ['content'] },
    )
    .map(({ content, note }) => ({
      role: 'user',
      content: content.flat(),
      ...(note !== undefined && { x_client: note }),
    }))
}

function guarded(): fc.Arbitrary<BedrockBlock> {
  return words.map((value) => ({ guardContent: { text: { text: value, qualifiers: ['query'] } } }))
}

/** One step: a batch of calls with reasoning before it, and its results, with the user's own words behind them at times. */
function arbitraryStep(): fc.Arbitrary<BedrockMessage[]> {
  return fc
    .record({
      opening: fc.array(reasoning(), { maxLength: 2 }),
      said: fc.array(fc.oneof(text(), unknownBlock(), serverPair()), { maxLength: 1 }),
      calls: fc.uniqueArray(arbitraryCall(), { minLength: 1, maxLength: 6, selector: ({ id }) => id }),
      behind: fc.array(fc.oneof(reminder(), text()), { maxLength: 2 }),
    })
    .map(({ opening, said, calls, behind }) => [
      {
        role: 'assistant',
        content: [
          ...opening,
          ...said.flat(),
          ...calls.map(({ id, input }) => ({ toolUse: { toolUseId: id, name: 'run', input } })),
        ],
      },
      {
        role: 'user',
        content: [...calls.map(({ id, result }) => ({ toolResult: { toolUseId: id, ...result } })), ...behind],
      },
    ])
}

/** What the provider looks up by itself, inside one assistant message. */
function serverPair(): fc.Arbitrary<BedrockBlock[]> {
  return words.map((value) => [
    { toolUse: { toolUseId: 'srv_1', name: 'grounding', input: {}, type: 'server_tool_use' } },
    { toolResult: { toolUseId: 'srv_1', content: [{ text: value }], type: 'grounding_result' } },
  ])
}

/** Ids come from a few, so that they repeat from turn to turn. */
function arbitraryCall(): fc.Arbitrary<{ id: string; input: object; result: object }> {
  return fc.record({
    id: fc.integer({ min: 1, max: 9 }).map((number) => `tooluse_${number}`),
    input: toolInput,
    result: arbitraryResult(),
  })
}

function arbitraryResult(): fc.Arbitrary<object> {
  const json = anyJson.map((value) => ({ json: value ?? {} }))
  const content = fc.oneof(
    fc.array(fc.oneof(text(), json, media(), unknownBlock()), { maxLength: 4 }),
    words.map((value) => [{ text: value.repeat(50) }]),
  )
  return fc.record({ content, status: fc.constantFrom('success', 'error') }, { requiredKeys: ['content'] })
}

function arbitraryAnswer(): fc.Arbitrary<BedrockMessage> {
  const cited = words.map((value) => ({ citationsContent: { content: [{ text: value }], citations: [] } }))
  return fc
    .tuple(fc.array(reasoning(), { maxLength: 1 }), fc.oneof(text(), cited))
    .map(([before, said]) => ({ role: 'assistant', content: [...before, said] }))
}

/** Cuts the list behind a message of the user: behind words, or behind results. */
function withTail(messages: readonly BedrockMessage[], afterResults: boolean): readonly BedrockMessage[] {
  const hasResult = (message: BedrockMessage) => (message.content ?? []).some((block) => block.toolResult !== undefined)
  const end = messages
    .slice(0, MAX_ITEMS)
    .findLastIndex((message) => message.role === 'user' && hasResult(message) === afterResults)
  return messages.slice(0, Math.max(end, 0) + 1)
}

/** Puts cache points behind blocks that one may follow; hour-long ones come first. */
function withPoints(
  messages: readonly BedrockMessage[],
  points: readonly { at: number; hour: boolean }[],
): readonly BedrockMessage[] {
  const places = messages.flatMap(({ content = [] }, position) =>
    content.flatMap((block, at) => (block.reasoningContent === undefined ? [`${position}.${at}`] : [])),
  )
  const chosen = [...new Set(points.map((point) => point.at % places.length))].sort((a, b) => a - b)
  const hours = points.filter((point) => point.hour).length
  const rank = new Map(chosen.map((place, index) => [places[place], index]))
  return messages.map((message, position) => ({
    ...message,
    content: (message.content ?? []).flatMap((block, at): BedrockBlock[] => {
      const order = rank.get(`${position}.${at}`)
      if (order === undefined) return [block]
      return [block, { cachePoint: { type: 'default', ...(order < hours && { ttl: '1h' }) } }]
    }),
  }))
}

function arbitraryExtras(): fc.Arbitrary<object> {
  return fc.record(
    {
      modelId: fc.constant('us.anthropic.claude-opus-4-8'),
      system: fc.array(text(), { maxLength: 3 }),
      inferenceConfig: fc.record({ maxTokens: fc.constant(8_192), temperature: fc.constant(1) }, { requiredKeys: [] }),
      additionalModelRequestFields: fc.constant({ thinking: { type: 'enabled', budget_tokens: 2_048 } }),
      x_future: anyJson,
    },
    { requiredKeys: [] },
  )
}

const TOOL_CONFIG = { tools: [{ toolSpec: { name: 'run', inputSchema: { json: { type: 'object' } } } }] }

/** Valid Converse requests of 1 to 60 messages, with everything in them that real clients send. */
export const arbitraryRequest: fc.Arbitrary<BedrockRequest> = fc
  .record({
    turns: fc.array(arbitraryTurn(), { minLength: 1, maxLength: 7 }),
    afterResults: fc.boolean(),
    points: fc.array(fc.record({ at: fc.nat(), hour: fc.boolean() }), { maxLength: 4 }),
    extras: arbitraryExtras(),
  })
  .map(({ turns, afterResults, points, extras }) => ({
    ...extras,
    toolConfig: TOOL_CONFIG,
    messages: withPoints(withTail(turns.flat(), afterResults), points),
  }))
