import { effortSetting } from '../effort.ts'
import { cappedOutput } from '../output-cap.ts'
import type { AssistantPart } from '../prompt/assistant-part.ts'
import { ANY_ID, type CallIdRule, CLAUDE_IDS, MISTRAL_IDS, OPENAI_CHAT_IDS } from '../prompt/call-ids.ts'
import { fitPrompt } from '../prompt/fit-prompt.ts'
import { noReasoning, unsealedOr } from '../prompt/reasoning-rules.ts'
import { type ChosenUrl, chosenUrl, withVersionAtRoot } from './base-url.ts'
import { firstSet, missingKey } from './keys.ts'
import type { ModelProvider, ProviderSetup } from './provider.ts'

const NAME = 'openai-chat'

/** Chat Completions, of OpenAI and of the many servers that speak it. One on this machine needs no key. */
export const openaiChat: ModelProvider = {
  name: NAME,
  models: ['gpt-oss:20b', 'qwen3-coder:30b'],
  async check(setup) {
    chatServer(setup)
  },
  async open(id, setup) {
    const { url, host, key } = chatServer(setup)
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      name: NAME,
      baseURL: url,
      includeUsage: true,
      ...(key !== undefined && { apiKey: key }),
      ...(isOpenai(host) && { transformRequestBody: withCompletionCap }),
      ...(setup.fetch !== undefined && { fetch: setup.fetch }),
    })
    return {
      language: provider(id),
      settings: {
        ...cappedOutput(id, setup.profiles),
        ...effortSetting(NAME, id, setup),
      },
      upstream: host,
      fit: fitPrompt({
        reasoning: REFUSES_REASONING.test(host) ? noReasoning : unsealedOr(NAME),
        callIds: callIdsOf(id, host),
        part: withOwnThoughtSignature,
      }),
    }
  },
}

/** Where a chat model is served, and with which key. @throws PalimpsestError where the server wants one that is not there. */
export function chatServer(setup: ProviderSetup): ChosenUrl & { readonly key: string | undefined } {
  const chosen = chosenUrl(NAME, setup, ['OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_BASE_URL']) ?? OWN
  const variables = chatKeyVariables(chosen)
  const key = firstSet(setup.env, variables)
  if (key === undefined && KNOWN_HOSTS.some(([host]) => host.test(chosen.host))) {
    throw missingKey(chosen.host, variables, `, or the base URL of another server in OPENAI_COMPATIBLE_BASE_URL`)
  }
  return { ...chosen, url: withVersionAtRoot(chosen.url, 'v1'), key }
}

const OWN: ChosenUrl = { url: 'https://api.openai.com', host: 'api.openai.com', from: 'default' }

/** OpenAI's key goes to OpenAI, and where OPENAI_BASE_URL points to: nobody else is to see it. */
export function chatKeyVariables({ host, from }: Pick<ChosenUrl, 'host' | 'from'>): readonly string[] {
  const known = KNOWN_HOSTS.find(([pattern]) => pattern.test(host))?.[1]
  const openai = from === 'OPENAI_BASE_URL' ? ['OPENAI_API_KEY'] : []
  return [...new Set([...(known === undefined ? [] : [known]), 'OPENAI_COMPATIBLE_API_KEY', ...openai])]
}

/** Servers that want a key, and the variable that usually has it. */
const KNOWN_HOSTS: readonly (readonly [host: RegExp, variable: string])[] = [
  [/(?:^|\.)openai\.com$/, 'OPENAI_API_KEY'],
  [/(?:^|\.)openrouter\.ai$/, 'OPENROUTER_API_KEY'],
  [/(?:^|\.)groq\.com$/, 'GROQ_API_KEY'],
  [/(?:^|\.)mistral\.ai$/, 'MISTRAL_API_KEY'],
  [/(?:^|\.)deepseek\.com$/, 'DEEPSEEK_API_KEY'],
  [/(?:^|\.)together\.(?:xyz|ai)$/, 'TOGETHER_API_KEY'],
  [/(?:^|\.)fireworks\.ai$/, 'FIREWORKS_API_KEY'],
  [/(?:^|\.)cerebras\.ai$/, 'CEREBRAS_API_KEY'],
  [/(?:^|\.)x\.ai$/, 'XAI_API_KEY'],
  [/(?:^|\.)googleapis\.com$/, 'GEMINI_API_KEY'],
]

/** They refuse a message with a field that they do not know, and `reasoning_content` is one. */
const REFUSES_REASONING = /(?:^|\.)(?:openai\.com|groq\.com|mistral\.ai|cerebras\.ai)$/

function isOpenai(host: string): boolean {
  return /(?:^|\.)openai\.com$/.test(host)
}

/** OpenAI's newer models refuse `max_tokens`. */
function withCompletionCap({ max_tokens, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? rest : { ...rest, max_completion_tokens: max_tokens }
}

function callIdsOf(id: string, host: string): CallIdRule {
  if (/mistral\.ai$/.test(host) || /mistral|mixtral|codestral|devstral|magistral|pixtral/i.test(id)) return MISTRAL_IDS
  if (/claude/i.test(id)) return CLAUDE_IDS
  return isOpenai(host) ? OPENAI_CHAT_IDS : ANY_ID
}

/**
 * The SDK gives signatures of Gemini calls under our name and wants them back under `google`, where those of Google's own API
 * stand too: these are not this server's.
 */
function withOwnThoughtSignature(part: AssistantPart): AssistantPart {
  if (part.type !== 'tool-call' || part.providerOptions === undefined) return part
  const { google, ...others } = part.providerOptions
  const signature = (others[NAME] ?? others.openaiChat)?.thoughtSignature
  if (google === undefined && signature === undefined) return part
  const own = signature === undefined ? {} : { google: { thoughtSignature: signature } }
  return { ...part, providerOptions: { ...others, ...own } }
}
