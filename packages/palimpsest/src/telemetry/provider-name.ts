/** What the semantic conventions call the provider behind an upstream, first match first: hosts, and names of provider packages. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/bedrock/, 'aws.bedrock'],
  [/vertex|aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/^google\b|generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/^azure\b|\.openai\.azure\.com$/, 'azure.ai.openai'],
  [/services\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/^(?:api\.)?anthropic\b/, 'anthropic'],
  [/^(?:api\.)?openai(?:\.|$)|^chatgpt\.com$|^codex\b/, 'openai'],
  [/^(?:api\.)?mistral\b/, 'mistral_ai'],
  [/^(?:api\.)?groq\b/, 'groq'],
  [/^(?:api\.)?deepseek\b/, 'deepseek'],
  [/^(?:api\.)?x\.ai$|^xai\b/, 'x_ai'],
  [/^(?:api\.)?cohere\b/, 'cohere'],
  [/^(?:api\.)?perplexity\b/, 'perplexity'],
]

/**
 * The value of `gen_ai.provider.name` for an upstream: a host (`api.anthropic.com`) or a provider of the AI SDK
 * (`openai.responses`); undefined where it is none that the conventions know.
 *
 * @example
 * providerName('api.anthropic.com') // 'anthropic'
 * providerName('amazon-bedrock') // 'aws.bedrock'
 */
export function providerName(upstream: string | undefined): string | undefined {
  const name =
    upstream
      ?.toLowerCase()
      .replace(/^[a-z]+:\/\//, '')
      .replace(/[:/].*$/s, '') ?? ''
  return PROVIDERS.find(([pattern]) => pattern.test(name))?.[1]
}
