import fc from 'fast-check'

/**
 * What happens in a conversation, to be said in the words of any dialect: so the same conversation can be exported from each
 * of them, and what comes out compared with what went in.
 */
export interface Script {
  readonly system: string | undefined
  readonly turns: readonly ScriptTurn[]
}

export interface ScriptTurn {
  readonly user: string
  /** A picture that the user shows (base64 of a PNG). */
  readonly picture: boolean
  readonly steps: readonly ScriptStep[]
  /** Undefined: the model has not answered yet. */
  readonly answer: string | undefined
}

export interface ScriptStep {
  readonly said: string | undefined
  readonly calls: readonly ScriptCall[]
}

export interface ScriptCall {
  readonly id: string
  readonly args: object
  readonly result: string
  readonly failed: boolean
}

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const TOOL = 'run_tool'

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() === text && text !== ''),
  fc.constantFrom('é𝄞', '<b>"\\', 'line\nline', '{"a":1}'),
)

const call = fc.record({
  id: fc.oneof(
    fc.nat({ max: 4 }).map((number) => `toolu_${number}`),
    fc.constantFrom('call:with.dots/1', `call_${'x'.repeat(90)}`, `call_${'x'.repeat(91)}`, 'ü'),
  ),
  args: fc.dictionary(fc.constantFrom('path', 'lines', '__proto__x', ''), fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: 2,
  }),
  result: fc.oneof(words, fc.constant('')),
  failed: fc.boolean(),
})

const step = fc.record({
  said: fc.option(words, { nil: undefined }),
  calls: fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
})

/** Conversations of one to four turns. */
export const scripts: fc.Arbitrary<Script> = fc.record({
  system: fc.option(words, { nil: undefined }),
  turns: fc
    .array(fc.record({ user: words, picture: fc.boolean(), steps: fc.array(step, { maxLength: 2 }), answer: words }), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((turns) =>
      fc
        .boolean()
        .map((isOpen): ScriptTurn[] =>
          turns.map((turn, at) => (isOpen && at === turns.length - 1 ? { ...turn, answer: undefined } : turn)),
        ),
    ),
})

/** Says a script in the words of each dialect, as a request. */
export const SPEAKERS: Readonly<Record<string, (script: Script) => Record<string, unknown>>> = {
  'anthropic-messages': speakAnthropic,
  'openai-chat': speakChat,
  'openai-responses': speakResponses,
  'openai-codex': (script) => ({
    ...speakResponses(script),
    instructions: script.system ?? 'You help.',
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
  }),
  gemini: speakGemini,
  'bedrock-converse': speakBedrock,
  'ai-sdk': speakAiSdk,
  langchain: speakLangChain,
}

function given<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}

function speakAnthropic({ system, turns }: Script) {
  const text = (words: string) => ({ type: 'text', text: words })
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
  return {
    model: 'm',
    max_tokens: 9,
    ...(system !== undefined && { system }),
    tools: [{ name: TOOL, input_schema: { type: 'object' } }],
    messages: turns.flatMap((turn) => [
      { role: 'user', content: [text(turn.user), ...(turn.picture ? [picture] : [])] },
      ...turn.steps.flatMap(({ said, calls }) => [
        {
          role: 'assistant',
          content: [
            ...given(said).map(text),
            ...calls.map(({ id, args }) => ({ type: 'tool_use', id, name: TOOL, input: args })),
          ],
        },
        {
          role: 'user',
          content: calls.map(({ id, result, failed }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: result,
            ...(failed && { is_error: true }),
          })),
        },
      ]),
      ...given(turn.answer).map((answer) => ({ role: 'assistant', content: answer })),
    ]),
  }
}

function speakChat({ system, turns }: Script) {
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
  return {
    model: 'm',
    tools: [{ type: 'function', function: { name: TOOL, parameters: { type: 'object' } } }],
    messages: [
      ...given(system).map((content) => ({ role: 'system', content })),
      ...turns.flatMap((turn) => [
        { role: 'user', content: turn.picture ? [{ type: 'text', text: turn.user }, picture] : turn.user },
        ...turn.steps.flatMap(({ said, calls }) => [
          {
            role: 'assistant',
            content: said ?? null,
            tool_calls: calls.map(({ id, args }) => ({
              id,
              type: 'function',
              function: { name: TOOL, arguments: JSON.stringify(args) },
            })),
          },
          ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
        ]),
        ...given(turn.answer).map((content) => ({ role: 'assistant', content })),
      ]),
    ],
  }
}

function speakResponses({ system, turns }: Script) {
  const picture = { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }
  const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
  return {
    model: 'm',
    ...(system !== undefined && { instructions: system }),
    tools: [{ type: 'function', name: TOOL, parameters: { type: 'object' } }],
    input: turns.flatMap((turn) => [
      { role: 'user', content: [{ type: 'input_text', text: turn.user }, ...(turn.picture ? [picture] : [])] },
      ...turn.steps.flatMap(({ said: words, calls }) => [
        ...given(words).map(said),
        ...calls.map(({ id, args }) => ({
          type: 'function_call',
          call_id: id,
          name: TOOL,
          arguments: JSON.stringify(args),
        })),
        ...calls.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result })),
      ]),
      ...given(turn.answer).map(said),
    ]),
  }
}

/** As models before Gemini 3 do it: without ids. */
function speakGemini({ system, turns }: Script) {
  const picture = { inlineData: { mimeType: 'image/png', data: PNG } }
  return {
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    tools: [{ functionDeclarations: [{ name: TOOL, parametersJsonSchema: { type: 'object' } }] }],
    contents: turns.flatMap((turn) => [
      { role: 'user', parts: [{ text: turn.user }, ...(turn.picture ? [picture] : [])] },
      ...turn.steps.flatMap(({ said, calls }) => [
        {
          role: 'model',
          parts: [
            ...given(said).map((text) => ({ text })),
            ...calls.map(({ args }) => ({ functionCall: { name: TOOL, args } })),
          ],
        },
        {
          role: 'user',
          parts: calls.map(({ result, failed }) => ({
            functionResponse: { name: TOOL, response: failed ? { error: result } : { output: result } },
          })),
        },
      ]),
      ...given(turn.answer).map((text) => ({ role: 'model', parts: [{ text }] })),
    ]),
  }
}

function speakBedrock({ system, turns }: Script) {
  const picture = { image: { format: 'png', source: { bytes: PNG } } }
  const messages = turns.flatMap((turn) => [
    { role: 'user', content: [{ text: turn.user }, ...(turn.picture ? [picture] : [])] },
    ...turn.steps.flatMap(({ said, calls }) => [
      {
        role: 'assistant',
        content: [
          ...given(said).map((text) => ({ text })),
          ...calls.map(({ id, args }) => ({ toolUse: { toolUseId: id, name: TOOL, input: args } })),
        ],
      },
      {
        role: 'user',
        content: calls.map(({ id, result, failed }) => ({
          toolResult: {
            toolUseId: id,
            content: result === '' ? [] : [{ text: result }],
            ...(failed && { status: 'error' }),
          },
        })),
      },
    ]),
    ...given(turn.answer).map((text) => ({ role: 'assistant', content: [{ text }] })),
  ])
  return {
    modelId: 'm',
    ...(system !== undefined && { system: [{ text: system }] }),
    toolConfig: { tools: [{ toolSpec: { name: TOOL, inputSchema: { json: { type: 'object' } } } }] },
    messages:
      messages.at(-1)?.role === 'assistant' ? [...messages, { role: 'user', content: [{ text: 'go on' }] }] : messages,
  }
}

function speakAiSdk({ system, turns }: Script) {
  const picture = { type: 'file', mediaType: 'image/png', data: PNG }
  const text = (words: string) => ({ type: 'text', text: words })
  return {
    tools: [{ type: 'function', name: TOOL, inputSchema: { type: 'object' } }],
    prompt: [
      ...given(system).map((content) => ({ role: 'system', content })),
      ...turns.flatMap((turn) => [
        { role: 'user', content: [text(turn.user), ...(turn.picture ? [picture] : [])] },
        ...turn.steps.flatMap(({ said, calls }) => [
          {
            role: 'assistant',
            content: [
              ...given(said).map(text),
              ...calls.map(({ id, args }) => ({ type: 'tool-call', toolCallId: id, toolName: TOOL, input: args })),
            ],
          },
          {
            role: 'tool',
            content: calls.map(({ id, result, failed }) => ({
              type: 'tool-result',
              toolCallId: id,
              toolName: TOOL,
              output: { type: failed ? 'error-text' : 'text', value: result },
            })),
          },
        ]),
        ...given(turn.answer).map((answer) => ({ role: 'assistant', content: [text(answer)] })),
      ]),
    ],
  }
}

function speakLangChain({ system, turns }: Script) {
  const picture = { type: 'image', mimeType: 'image/png', data: PNG }
  return {
    tools: [{ type: 'function', function: { name: TOOL, parameters: { type: 'object' } } }],
    messages: [
      ...given(system).map((content) => ({ type: 'system', content })),
      ...turns.flatMap((turn) => [
        { type: 'human', content: turn.picture ? [{ type: 'text', text: turn.user }, picture] : turn.user },
        ...turn.steps.flatMap(({ said, calls }) => [
          {
            type: 'ai',
            content: said ?? '',
            tool_calls: calls.map(({ id, args }) => ({ type: 'tool_call', id, name: TOOL, args })),
          },
          ...calls.map(({ id, result, failed }) => ({
            type: 'tool',
            tool_call_id: id,
            content: result,
            status: failed ? 'error' : 'success',
          })),
        ]),
        ...given(turn.answer).map((content) => ({ type: 'ai', content, tool_calls: [] })),
      ]),
    ],
  }
}
