/** What happens in a conversation, in no wire format. */
export type Step =
  | { readonly user: string }
  | { readonly say: string }
  | { readonly calls: readonly ScriptedCall[]; readonly say?: string }

export interface ScriptedCall {
  readonly id: string
  readonly name?: string
  readonly args?: object
  readonly result: string
}

/** The formats that a script can be written down in. */
export const FORMATS = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'gemini',
  'bedrock-converse',
  'ai-sdk',
] as const
export type FormatName = (typeof FORMATS)[number]

const TOOL_NAMES = ['read', 'ls', 'write', 'bash']
const SCHEMA = { type: 'object', properties: {} }

/** The script as a request of this format. */
export function scripted(format: FormatName, steps: readonly Step[], more: object = {}): object {
  return { ...WRITERS[format](steps), ...more }
}

const WRITERS: Readonly<Record<FormatName, (steps: readonly Step[]) => object>> = {
  'anthropic-messages': (steps) => anthropicRequest(steps.flatMap(anthropicStep)),
  'openai-chat': (steps) => chatRequest(steps.flatMap(chatStep)),
  'openai-responses': (steps) => responsesRequest(steps.flatMap(responsesStep)),
  gemini: (steps) => ({
    model: 'gemini-2.5-pro',
    contents: steps.flatMap(geminiStep),
    tools: [{ functionDeclarations: TOOL_NAMES.map((name) => ({ name, parameters: SCHEMA })) }],
  }),
  'bedrock-converse': (steps) => ({
    modelId: 'anthropic.claude-sonnet-4-20250514-v1:0',
    messages: steps.flatMap(bedrockStep),
    toolConfig: { tools: TOOL_NAMES.map((name) => ({ toolSpec: { name, inputSchema: { json: SCHEMA } } })) },
  }),
  'ai-sdk': (steps) => aiSdkRequest(steps.flatMap(aiSdkStep)),
}

/** A Messages request with these messages. */
export function anthropicRequest(messages: readonly object[], more: object = {}): object {
  const tools = TOOL_NAMES.map((name) => ({ name, description: name, input_schema: SCHEMA }))
  return { model: 'claude-sonnet-4-20250514', max_tokens: 4_096, tools, messages, ...more }
}

/** A chat request with these messages. */
export function chatRequest(messages: readonly object[], more: object = {}): object {
  const tools = TOOL_NAMES.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } }))
  return { model: 'gpt-4o', max_completion_tokens: 4_096, tools, messages, ...more }
}

/** A Responses request with these input items. */
export function responsesRequest(input: readonly object[], more: object = {}): object {
  const tools = TOOL_NAMES.map((name) => ({ type: 'function', name, parameters: SCHEMA }))
  return { model: 'gpt-5', max_output_tokens: 4_096, tools, input, ...more }
}

/** Call options of the AI SDK with this prompt. */
export function aiSdkRequest(prompt: readonly object[], more: object = {}): object {
  const tools = TOOL_NAMES.map((name) => ({ type: 'function', name, inputSchema: SCHEMA }))
  return { prompt, maxOutputTokens: 4_096, tools, ...more }
}

function anthropicStep(step: Step): readonly object[] {
  if ('user' in step) return [{ role: 'user', content: step.user }]
  if (!('calls' in step)) return [{ role: 'assistant', content: step.say }]
  const text = step.say === undefined ? [] : [{ type: 'text', text: step.say }]
  const uses = step.calls.map(({ id, name = 'read', args = {} }) => ({ type: 'tool_use', id, name, input: args }))
  const results = step.calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result }))
  return [
    { role: 'assistant', content: [...text, ...uses] },
    { role: 'user', content: results },
  ]
}

function chatStep(step: Step): readonly object[] {
  if ('user' in step) return [{ role: 'user', content: step.user }]
  if (!('calls' in step)) return [{ role: 'assistant', content: step.say }]
  const calls = step.calls.map(({ id, name = 'read', args = {} }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  return [
    { role: 'assistant', content: step.say ?? null, tool_calls: calls },
    ...step.calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ]
}

function responsesStep(step: Step): readonly object[] {
  if ('user' in step) return [{ type: 'message', role: 'user', content: step.user }]
  const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
  if (!('calls' in step)) return [said(step.say)]
  const calls = step.calls.map(({ id, name = 'read', args = {} }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  }))
  const outputs = step.calls.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result }))
  return [...(step.say === undefined ? [] : [said(step.say)]), ...calls, ...outputs]
}

function geminiStep(step: Step): readonly object[] {
  if ('user' in step) return [{ role: 'user', parts: [{ text: step.user }] }]
  if (!('calls' in step)) return [{ role: 'model', parts: [{ text: step.say }] }]
  const text = step.say === undefined ? [] : [{ text: step.say }]
  const calls = step.calls.map(({ id, name = 'read', args = {} }) => ({ functionCall: { id, name, args } }))
  const responses = step.calls.map(({ id, name = 'read', result }) => ({
    functionResponse: { id, name, response: { output: result } },
  }))
  return [
    { role: 'model', parts: [...text, ...calls] },
    { role: 'user', parts: responses },
  ]
}

function bedrockStep(step: Step): readonly object[] {
  if ('user' in step) return [{ role: 'user', content: [{ text: step.user }] }]
  if (!('calls' in step)) return [{ role: 'assistant', content: [{ text: step.say }] }]
  const text = step.say === undefined ? [] : [{ text: step.say }]
  const uses = step.calls.map(({ id, name = 'read', args = {} }) => ({ toolUse: { toolUseId: id, name, input: args } }))
  const results = step.calls.map(({ id, result }) => ({ toolResult: { toolUseId: id, content: [{ text: result }] } }))
  return [
    { role: 'assistant', content: [...text, ...uses] },
    { role: 'user', content: results },
  ]
}

function aiSdkStep(step: Step): readonly object[] {
  if ('user' in step) return [{ role: 'user', content: [{ type: 'text', text: step.user }] }]
  if (!('calls' in step)) return [{ role: 'assistant', content: [{ type: 'text', text: step.say }] }]
  const text = step.say === undefined ? [] : [{ type: 'text', text: step.say }]
  const calls = step.calls.map(({ id, name = 'read', args = {} }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: args,
  }))
  const results = step.calls.map(({ id, name = 'read', result }) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'text', value: result },
  }))
  return [
    { role: 'assistant', content: [...text, ...calls] },
    { role: 'tool', content: results },
  ]
}
