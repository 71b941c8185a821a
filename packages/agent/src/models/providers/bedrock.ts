import { PalimpsestError } from 'palimpsest'
import { effortSetting } from '../effort.ts'
import { cappedOutput } from '../output-cap.ts'
import { CLAUDE_IDS, MISTRAL_IDS } from '../prompt/call-ids.ts'
import { fitPrompt } from '../prompt/fit-prompt.ts'
import { sealedBy } from '../prompt/reasoning-rules.ts'
import { chosenUrl } from './base-url.ts'
import { firstSet, missingKey } from './keys.ts'
import type { ModelProvider, ProviderSetup } from './provider.ts'

/** Amazon Bedrock's Converse API, with an API key of Bedrock or with keys of AWS. */
export const bedrock: ModelProvider = {
  name: 'bedrock',
  models: [
    'us.anthropic.claude-sonnet-5-5',
    'us.anthropic.claude-opus-5-5',
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'us.amazon.nova-pro-v1:0',
  ],
  async check(setup) {
    access(setup)
  },
  async open(id, setup) {
    const { credential, region, server } = access(setup)
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    const provider = createAmazonBedrock({
      ...credential,
      region,
      ...(server !== undefined && { baseURL: server.url }),
      ...(setup.fetch !== undefined && { fetch: setup.fetch }),
    })
    const cap = cappedOutput(id, setup.profiles)
    return {
      language: provider(id),
      settings: {
        ...cap,
        ...effortSetting('bedrock', id, { effort: setup.effort, cap: cap.maxOutputTokens }),
      },
      upstream: server?.host ?? `bedrock-runtime.${region}.amazonaws.com`,
      fit: fitPrompt({
        reasoning: sealedBy('bedrock', ['signature', 'redactedContent', 'redactedData']),
        callIds: id.includes('mistral.') ? MISTRAL_IDS : CLAUDE_IDS,
      }),
    }
  },
}

function access(setup: ProviderSetup) {
  const credential = credentialOf(setup)
  const region = firstSet(setup.env, ['AWS_REGION', 'AWS_DEFAULT_REGION'])
  if (region === undefined) {
    throw new PalimpsestError('not-found', 'There is no region for Bedrock: AWS_REGION is not set.', {
      hint: 'Set AWS_REGION, for example to us-east-1. Without any key works: --model wirelab:demo.',
    })
  }
  const server = chosenUrl('bedrock', setup, ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'AWS_ENDPOINT_URL'])
  return { credential, region, server }
}

/** An API key comes first; an empty one tells the SDK not to look for one by itself. */
function credentialOf({ env }: ProviderSetup) {
  const apiKey = firstSet(env, ['AWS_BEARER_TOKEN_BEDROCK'])
  if (apiKey !== undefined) return { apiKey }
  const accessKeyId = firstSet(env, ['AWS_ACCESS_KEY_ID'])
  const secretAccessKey = firstSet(env, ['AWS_SECRET_ACCESS_KEY'])
  const sessionToken = firstSet(env, ['AWS_SESSION_TOKEN'])
  const profiles = '; `aws configure export-credentials --format env` prints the keys of a profile'
  if (accessKeyId === undefined) {
    throw missingKey('Bedrock', ['AWS_ACCESS_KEY_ID', 'AWS_BEARER_TOKEN_BEDROCK'], profiles)
  }
  if (secretAccessKey === undefined) throw missingKey('Bedrock', ['AWS_SECRET_ACCESS_KEY'], profiles)
  return { apiKey: '', accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
