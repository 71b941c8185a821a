import { PalimpsestError } from 'palimpsest'

/** A model's name in its two halves. */
export interface ModelName {
  readonly provider: string
  /** May hold colons and slashes itself. */
  readonly id: string
}

/** What a provider is called, with the id of one of its models. */
export interface NamedProvider {
  readonly name: string
  readonly example: string
}

/**
 * Reads `provider:model`. A name that only one provider can have (`claude-…`, `gpt-…`, `gemini-…`, `us.anthropic.…`) needs no
 * provider before it.
 *
 * @throws PalimpsestError `invalid-input` with an example of each provider.
 */
export function parseModelName(name: string, providers: readonly NamedProvider[]): ModelName {
  const trimmed = name.trim()
  const colon = trimmed.indexOf(':')
  const word = colon < 0 ? undefined : trimmed.slice(0, colon)
  if (word !== undefined && providers.some((provider) => provider.name === word)) {
    const id = trimmed.slice(colon + 1)
    if (id !== '') return { provider: word, id }
    throw wrongName(`After "${word}:" a model is missing.`, providers)
  }
  const family = providerOfId(trimmed)
  if (family !== undefined && providers.some((provider) => provider.name === family)) {
    return { provider: family, id: trimmed }
  }
  const shown = trimmed.length > 60 ? `${trimmed.slice(0, 60)}…` : trimmed
  throw wrongName(
    word === undefined
      ? `The model "${shown}" has no provider before it.`
      : `"${shown}" names no provider that is known.`,
    providers,
  )
}

/** The provider of a model whose id only one provider can have. */
export function providerOfId(id: string): string | undefined {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1]
}

/** Ids that tell their provider. Models of these names that others serve have a slash or a tag in them. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:[a-z]+\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen)\.[\w.-]+(?::\d+)?$/, 'bedrock'],
  [/^claude-[^/:]+$/, 'anthropic'],
  [/^(?:gpt-\d|o\d)[^/:]*$/, 'openai'],
  [/^gemini-[^/:]+$/, 'google'],
]

function wrongName(message: string, providers: readonly NamedProvider[]): PalimpsestError {
  const examples = providers.map(({ name, example }) => `${name}:${example}`).join(', ')
  return new PalimpsestError('invalid-input', message, { hint: `Name a model as provider:model: ${examples}.` })
}
