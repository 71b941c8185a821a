import { modelList, type ResolvedConfig } from '@palimpsest/agent'

/** Providers whose first model is taken where none is named, the first with a key. */
const PREFERRED = ['anthropic', 'openai', 'google', 'bedrock', 'codex']

/** The user's own folder, and the variables that may hold keys. */
export interface KeyPlaces {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

/** The same configuration; where it names no model, with one for which there is a key, if there is any. */
export async function withFoundModel(resolved: ResolvedConfig, { env, home }: KeyPlaces): Promise<ResolvedConfig> {
  const { config, sources } = resolved
  if (config.model !== undefined) return resolved
  const { baseUrls } = config
  const models = await modelList({ env, home, ...(baseUrls !== undefined && { baseUrls }) })
  const [model] = PREFERRED.flatMap((provider) => models.find((name) => name.startsWith(`${provider}:`)) ?? [])
  if (model === undefined) return resolved
  return { ...resolved, config: { ...config, model }, sources: { ...sources, model: foundBy(model) } }
}

function foundBy(model: string): { readonly kind: 'environment'; readonly name: string } {
  const [provider] = model.split(':')
  return { kind: 'environment', name: provider === 'codex' ? 'the login of codex' : `a key of ${provider}` }
}
