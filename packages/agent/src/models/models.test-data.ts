import type { LanguageModelV3CallOptions, LanguageModelV3Content, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { AgentModel } from './agent-model.ts'
import type { AssistantMessage, AssistantPart } from './prompt/assistant-part.ts'
import { generateByStream } from './providers/generate-by-stream.ts'

/** Keys that nobody issued, and the simulator in the place of every server. */
export function labEnvironment(url: string, codexHome = '/nowhere'): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'any',
    OPENAI_BASE_URL: url,
    GEMINI_API_KEY: 'any',
    GOOGLE_GEMINI_BASE_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'any',
    AWS_SECRET_ACCESS_KEY: 'any',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    CODEX_HOME: codexHome,
    CODEX_BASE_URL: url,
  }
}

/** A model of each provider, as a user would name it. */
export const MODEL_NAMES = [
  'anthropic:claude-sonnet-4-5',
  'openai:gpt-5',
  'openai-chat:some/local-model:7b',
  'codex:gpt-5-codex',
  'google:gemini-3-pro-preview',
  'bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0',
] as const

export const TOOL = { type: 'function', name: 'read_file', inputSchema: { type: 'object' } } as const

/** One step of an agent: what the model streams, as it goes back to it. */
export async function streamedStep(
  model: AgentModel,
  prompt: LanguageModelV3Prompt,
  more: Partial<LanguageModelV3CallOptions> = {},
): Promise<AssistantMessage> {
  const call = { ...model.settings, tools: [TOOL], ...more, prompt: model.fit(prompt) }
  const { content } = await generateByStream((options) => model.language.doStream(options), call)
  return { role: 'assistant', content: content.flatMap(backAgain) }
}

function backAgain(part: LanguageModelV3Content): AssistantPart | readonly [] {
  const options = part.type !== 'file' && part.providerMetadata ? { providerOptions: part.providerMetadata } : {}
  if (part.type === 'text' || part.type === 'reasoning') return { type: part.type, text: part.text, ...options }
  if (part.type !== 'tool-call') return []
  const { type, toolCallId, toolName, input } = part
  return { type, toolCallId, toolName, input: JSON.parse(input || '{}'), ...options }
}

/** The step with the results of its calls behind it. */
export function withResults(step: AssistantMessage): LanguageModelV3Prompt {
  const results = step.content.flatMap((part) =>
    part.type === 'tool-call'
      ? [
          {
            type: 'tool-result' as const,
            toolCallId: part.toolCallId,
            toolName: part.toolName,
            output: { type: 'text' as const, value: `contents of ${JSON.stringify(part.input)}` },
          },
        ]
      : [],
  )
  return results.length === 0 ? [step] : [step, { role: 'tool', content: results }]
}

/** Steps until the model is done. */
export async function runLoop(model: AgentModel, start: LanguageModelV3Prompt): Promise<LanguageModelV3Prompt> {
  const prompt = [...start]
  for (;;) {
    const step = await streamedStep(model, prompt)
    const added = withResults(step)
    prompt.push(...added)
    if (added.length === 1) return prompt
  }
}

/** A token in the shape of a JSON Web Token. */
export function madeToken(claims: object): string {
  const piece = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return [piece({ alg: 'none' }), piece(claims), 'signature'].join('.')
}
