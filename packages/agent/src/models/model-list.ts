import { type OpenerOptions, providerSetup } from './open-model.ts'
import { chatServer } from './providers/openai-chat.ts'
import type { ModelProvider, ProviderSetup } from './providers/provider.ts'
import { PROVIDERS } from './providers/providers.ts'

/** Milliseconds that a server on this machine has to say which models it serves. */
const LONGEST_WAIT = 1_500
/** Models of one server that are offered. */
const MOST = 20

/**
 * Names of models that can be opened now: a few current ones of each provider for which there is a key, and what the server of
 * `openai-chat` says it has. Never rejects: a provider that cannot be asked is left out.
 *
 * @example await modelList({ env: process.env, home: homedir() }) // ['anthropic:claude-sonnet-5-5', …]
 */
export async function modelList(options: Omit<OpenerOptions, 'others'>): Promise<readonly string[]> {
  const setup = providerSetup(options)
  const lists = await Promise.all(PROVIDERS.map((provider) => modelsOf(provider, setup)))
  return lists.flat()
}

async function modelsOf(provider: ModelProvider, setup: ProviderSetup): Promise<readonly string[]> {
  try {
    await provider.check(setup)
  } catch {
    return []
  }
  const ids = provider.name === 'openai-chat' ? await servedModels(setup) : provider.models
  return ids.map((id) => `${provider.name}:${id}`)
}

/** None where the server does not tell, or is OpenAI's own: that has far more than can chat, and `openai` offers them. */
async function servedModels(setup: ProviderSetup): Promise<readonly string[]> {
  const { url, host, key } = chatServer(setup)
  if (host === 'api.openai.com') return []
  try {
    const response = await (setup.fetch ?? fetch)(`${url}/models`, {
      signal: AbortSignal.timeout(LONGEST_WAIT),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    })
    const { data } = (await response.json()) as { readonly data?: unknown }
    const ids = Array.isArray(data) ? data.map((one: { readonly id?: unknown }) => one?.id) : []
    return ids.filter((id) => typeof id === 'string').slice(0, MOST)
  } catch {
    return []
  }
}
