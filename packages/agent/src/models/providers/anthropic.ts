import { effortSetting } from '../effort.ts'
import { cappedOutput } from '../output-cap.ts'
import { CLAUDE_IDS } from '../prompt/call-ids.ts'
import { fitPrompt } from '../prompt/fit-prompt.ts'
import { sealedBy } from '../prompt/reasoning-rules.ts'
import { chosenUrl, withVersion } from './base-url.ts'
import { firstSet, missingKey } from './keys.ts'
import type { ModelProvider, ProviderSetup } from './provider.ts'

/** Anthropic's Messages API, and gateways that speak it. */
export const anthropic: ModelProvider = {
  name: 'anthropic',
  models: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5-1'],
  async check(setup) {
    access(setup)
  },
  async open(id, setup) {
    const { credential, url, host } = access(setup)
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const provider = createAnthropic({
      ...credential,
      baseURL: url,
      ...(setup.fetch !== undefined && { fetch: setup.fetch }),
    })
    const cap = cappedOutput(id, setup.profiles)
    return {
      language: provider(id),
      settings: {
        ...cap,
        ...effortSetting('anthropic', id, { effort: setup.effort, cap: cap.maxOutputTokens }),
      },
      upstream: host,
      fit: fitPrompt({
        reasoning: sealedBy('anthropic', ['signature', 'redactedData']),
        callIds: CLAUDE_IDS,
        refusesBlankText: true,
      }),
    }
  },
}

/** Gateways take a bearer token instead of a key; it is asked for only where there is no key. */
function access(setup: ProviderSetup) {
  const apiKey = firstSet(setup.env, ['ANTHROPIC_API_KEY'])
  const authToken = firstSet(setup.env, ['ANTHROPIC_AUTH_TOKEN'])
  if (apiKey === undefined && authToken === undefined) throw missingKey('Anthropic', ['ANTHROPIC_API_KEY'])
  const { url, host } = chosenUrl('anthropic', setup, ['ANTHROPIC_BASE_URL']) ?? OWN
  return {
    url: withVersion(url, 'v1'),
    host,
    credential: apiKey === undefined ? { authToken: authToken ?? '' } : { apiKey },
  }
}

const OWN = { url: 'https://api.anthropic.com', host: 'api.anthropic.com' }
