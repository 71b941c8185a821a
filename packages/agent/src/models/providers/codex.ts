import { effortOptions } from '../effort.ts'
import { RESPONSES_IDS } from '../prompt/call-ids.ts'
import { fitPrompt } from '../prompt/fit-prompt.ts'
import { encryptedBy } from '../prompt/reasoning-rules.ts'
import { chosenUrl } from './base-url.ts'
import { codexLanguage } from './codex-language.ts'
import { codexLogin } from './codex-login.ts'
import type { ModelProvider, ProviderSetup } from './provider.ts'

/** The Codex backend of ChatGPT, with the login of the Codex CLI: paid by the subscription. */
export const codex: ModelProvider = {
  name: 'codex',
  models: ['gpt-5.5', 'gpt-5.3-codex', 'gpt-5-codex'],
  async check(setup) {
    codexServer(setup)
    await codexLogin(setup)
  },
  async open(id, setup) {
    await codexLogin(setup)
    const { url, host } = codexServer(setup)
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI({ apiKey: 'from the login file', baseURL: url, fetch: signing(setup) })
    return {
      language: codexLanguage(provider.responses(id)),
      settings: {
        // the backend takes no output cap
        providerOptions: {
          openai: { store: false, reasoningSummary: 'auto', ...effortOptions('openai', id, setup) },
        },
      },
      upstream: host,
      fit: fitPrompt({ reasoning: encryptedBy('codex'), callIds: RESPONSES_IDS, itemIds: 'codex' }),
    }
  },
}

function codexServer(setup: ProviderSetup): { readonly url: string; readonly host: string } {
  const { url, host } = chosenUrl('codex', setup, ['CODEX_BASE_URL']) ?? OWN
  const { pathname } = new URL(url)
  if (pathname === '/') return { url: `${url}/backend-api/codex`, host }
  return { url: pathname.endsWith('/backend-api') ? `${url}/codex` : url, host }
}

const OWN = { url: 'https://chatgpt.com', host: 'chatgpt.com' }

/** Each request reads the login anew: a session may outlive a token, which the Codex CLI renews in the file. */
function signing(setup: ProviderSetup): typeof globalThis.fetch {
  const send = setup.fetch ?? globalThis.fetch
  return async (input, init) => {
    const { token, account } = await codexLogin(setup)
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    if (account !== undefined) headers.set('chatgpt-account-id', account)
    headers.set('openai-beta', 'responses=experimental')
    headers.set('originator', 'palimpsest')
    return send(input, { ...init, headers })
  }
}
