import { effortSetting } from '../effort.ts'
import { cappedOutput } from '../output-cap.ts'
import { ANY_ID } from '../prompt/call-ids.ts'
import { fitPrompt } from '../prompt/fit-prompt.ts'
import { unsealedOr } from '../prompt/reasoning-rules.ts'
import { chosenUrl, withVersion } from './base-url.ts'
import { firstSet, KEY_VARIABLES, missingKey } from './keys.ts'
import type { ModelProvider, ProviderSetup } from './provider.ts'

/** Google's Gemini API. */
export const google: ModelProvider = {
  name: 'google',
  models: ['gemini-3.1-pro-preview', 'gemini-3.8-flash', 'gemini-2.5-pro', 'gemini-2.5-flash'],
  async check(setup) {
    access(setup)
  },
  async open(id, setup) {
    const { apiKey, url, host } = access(setup)
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const provider = createGoogleGenerativeAI({
      apiKey,
      baseURL: url,
      ...(setup.fetch !== undefined && { fetch: setup.fetch }),
    })
    return {
      language: provider(id),
      settings: {
        ...cappedOutput(id, setup.profiles),
        ...effortSetting('google', id, setup),
      },
      upstream: host,
      fit: fitPrompt({ reasoning: unsealedOr('google'), callIds: ANY_ID }),
    }
  },
}

function access(setup: ProviderSetup) {
  const apiKey = firstSet(setup.env, KEY_VARIABLES.google)
  if (apiKey === undefined) throw missingKey('Google', KEY_VARIABLES.google)
  const { url, host } = chosenUrl('google', setup, ['GOOGLE_GEMINI_BASE_URL']) ?? OWN
  return { apiKey, url: withVersion(url, 'v1beta'), host }
}

const OWN = {
  url: 'https://generativelanguage.googleapis.com',
  host: 'generativelanguage.googleapis.com',
}
