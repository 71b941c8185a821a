import { PalimpsestError } from 'palimpsest'
import type { Environment } from './provider.ts'

/** The first of these variables that holds something. */
export function firstSet(env: Environment, variables: readonly string[]): string | undefined {
  for (const variable of variables) {
    const value = env[variable]?.trim()
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** What is thrown where no key is at hand. */
export function missingKey(provider: string, variables: readonly string[], more = ''): PalimpsestError {
  const [first = '', ...others] = variables
  const or = others.length === 0 ? '' : ` (or ${others.join(', ')})`
  return new PalimpsestError('not-found', `There is no key for ${provider}: ${first}${or} is not set.`, {
    hint: `Set ${first}${more}. Without any key works: --model wirelab:demo.`,
  })
}

/** The variables that hold the key of each provider, for messages. */
export const KEY_VARIABLES = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  bedrock: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
} as const satisfies Readonly<Record<string, readonly string[]>>
