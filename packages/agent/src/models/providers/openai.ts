import { effortOptions } from '../effort.ts'
import { cappedOutput } from '../output-cap.ts'
import { RESPONSES_IDS } from '../prompt/call-ids.ts'
import { fitPrompt } from '../prompt/fit-prompt.ts'
import { encryptedBy } from '../prompt/reasoning-rules.ts'
import { chosenUrl, withVersionAtRoot } from './base-url.ts'
import { firstSet, KEY_VARIABLES, missingKey } from './keys.ts'
import type { ModelProvider, ProviderSetup } from './provider.ts'

/** OpenAI's Responses API. Nothing is stored there: reasoning comes back encrypted and goes along with every request. */
export const openai: ModelProvider = {
  name: 'openai',
  models: ['gpt-5.5', 'gpt-6.1-sol', 'gpt-5.3-codex', 'gpt-5.4-mini'],
  async check(setup) {
    access(setup)
  },
  async open(id, setup) {
    const { apiKey, url, host } = access(setup)
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI({ apiKey, baseURL: url, ...(setup.fetch !== undefined && { fetch: setup.fetch }) })
    return {
      language: provider.responses(id),
      settings: {
        ...cappedOutput(id, setup.profiles),
        // the SDK asks for encrypted reasoning itself where nothing is stored
        providerOptions: { openai: { store: false, ...effortOptions('openai', id, setup) } },
      },
      upstream: host,
      fit: fitPrompt({ reasoning: encryptedBy('openai'), callIds: RESPONSES_IDS, itemIds: 'openai' }),
    }
  },
}

function access(setup: ProviderSetup) {
  const apiKey = firstSet(setup.env, KEY_VARIABLES.openai)
  if (apiKey === undefined) throw missingKey('OpenAI', KEY_VARIABLES.openai)
  const { url, host } = chosenUrl('openai', setup, ['OPENAI_BASE_URL']) ?? OWN
  return { apiKey, url: withVersionAtRoot(url, 'v1'), host }
}

const OWN = { url: 'https://api.openai.com', host: 'api.openai.com' }
