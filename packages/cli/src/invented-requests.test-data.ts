/** A conversation in no format: the user's words, then steps of one call and its result, then a closing remark. */
export interface InventedStep {
  readonly path: string
  readonly result: string
}

export interface InventedRequest {
  /** What `--format` calls it. */
  readonly format: 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'bedrock' | 'ai-sdk'
  readonly body: Record<string, unknown>
}

const system = 'You work on the harbour service. Answer in short sentences.'
const first = 'Read the files of the harbour service and tell me where berths are counted. The port must stay 8443.'
const last = 'Now say which file to change first.'
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

/** `count` steps whose results have about `characters` characters each. */
export function inventedSteps(count: number, characters: number): readonly InventedStep[] {
  return Array.from({ length: count }, (_, at) => {
    const line = (row: number) => `${row}: berth ${at}-${row} holds ${(at * 37 + row * 11) % 97} boats, quay ${row % 7}`
    const rows = Array.from({ length: Math.ceil(characters / 42) }, (_unused, row) => line(row))
    return { path: `src/quay-${at}.ts`, result: rows.join('\n').slice(0, characters) }
  })
}

/** The same conversation as a request of every format. */
export function inventedRequests(steps: readonly InventedStep[]): readonly InventedRequest[] {
  return [
    { format: 'anthropic', body: anthropic(steps) },
    { format: 'openai-chat', body: chat(steps) },
    { format: 'openai-responses', body: responses(steps) },
    { format: 'gemini', body: gemini(steps) },
    { format: 'bedrock', body: bedrock(steps) },
    { format: 'ai-sdk', body: aiSdk(steps) },
  ]
}

export function anthropic(steps: readonly InventedStep[]): Record<string, unknown> {
  const messages = steps.flatMap((step, at) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `toolu_${at}`, name: 'read', input: { path: step.path } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: step.result }] },
  ])
  return {
    model: 'claude-sonnet-4-5',
    max_tokens: 4_096,
    system,
    tools: [{ name: 'read', description: 'Reads a file.', input_schema: schema }],
    messages: [
      { role: 'user', content: first },
      ...messages,
      { role: 'assistant', content: 'I have read them.' },
      { role: 'user', content: last },
    ],
  }
}

function chat(steps: readonly InventedStep[]): Record<string, unknown> {
  const messages = steps.flatMap((step, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${at}`,
          type: 'function',
          function: { name: 'read', arguments: JSON.stringify({ path: step.path }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${at}`, content: step.result },
  ])
  return {
    model: 'gpt-4.1',
    tools: [{ type: 'function', function: { name: 'read', description: 'Reads a file.', parameters: schema } }],
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: first },
      ...messages,
      { role: 'assistant', content: 'I have read them.' },
      { role: 'user', content: last },
    ],
  }
}

function responses(steps: readonly InventedStep[]): Record<string, unknown> {
  const input = steps.flatMap((step, at) => [
    { type: 'function_call', call_id: `call_${at}`, name: 'read', arguments: JSON.stringify({ path: step.path }) },
    { type: 'function_call_output', call_id: `call_${at}`, output: step.result },
  ])
  const words = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] })
  return {
    model: 'gpt-5-codex',
    store: false,
    instructions: system,
    tools: [{ type: 'function', name: 'read', description: 'Reads a file.', parameters: schema }],
    input: [
      words('user', 'input_text', first),
      ...input,
      words('assistant', 'output_text', 'I have read them.'),
      words('user', 'input_text', last),
    ],
  }
}

function gemini(steps: readonly InventedStep[]): Record<string, unknown> {
  const contents = steps.flatMap((step) => [
    { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: step.path } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: step.result } } }] },
  ])
  return {
    systemInstruction: { parts: [{ text: system }] },
    tools: [{ functionDeclarations: [{ name: 'read', description: 'Reads a file.', parameters: schema }] }],
    contents: [
      { role: 'user', parts: [{ text: first }] },
      ...contents,
      { role: 'model', parts: [{ text: 'I have read them.' }] },
      { role: 'user', parts: [{ text: last }] },
    ],
    generationConfig: { maxOutputTokens: 4_096 },
  }
}

function bedrock(steps: readonly InventedStep[]): Record<string, unknown> {
  const messages = steps.flatMap((step, at) => [
    {
      role: 'assistant',
      content: [{ toolUse: { toolUseId: `tooluse_${at}`, name: 'read', input: { path: step.path } } }],
    },
    { role: 'user', content: [{ toolResult: { toolUseId: `tooluse_${at}`, content: [{ text: step.result }] } }] },
  ])
  return {
    modelId: 'anthropic.claude-sonnet-4-5-v1:0',
    system: [{ text: system }],
    toolConfig: {
      tools: [{ toolSpec: { name: 'read', description: 'Reads a file.', inputSchema: { json: schema } } }],
    },
    messages: [
      { role: 'user', content: [{ text: first }] },
      ...messages,
      { role: 'assistant', content: [{ text: 'I have read them.' }] },
      { role: 'user', content: [{ text: last }] },
    ],
    inferenceConfig: { maxTokens: 4_096 },
  }
}

function aiSdk(steps: readonly InventedStep[]): Record<string, unknown> {
  const prompt = steps.flatMap((step, at) => [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: `call-${at}`, toolName: 'read', input: { path: step.path } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `call-${at}`,
          toolName: 'read',
          output: { type: 'text', value: step.result },
        },
      ],
    },
  ])
  return {
    maxOutputTokens: 4_096,
    tools: [{ type: 'function', name: 'read', description: 'Reads a file.', inputSchema: schema }],
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: first }] },
      ...prompt,
      { role: 'assistant', content: [{ type: 'text', text: 'I have read them.' }] },
      { role: 'user', content: [{ type: 'text', text: last }] },
    ],
  }
}
