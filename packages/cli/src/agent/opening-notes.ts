import type { ResolvedConfig } from '@palimpsest/agent'
import type { AgentFlags } from './agent-flags.ts'

/**
 * What somebody should know who opens an agent with this configuration: a model that they did not name, and what a file of the
 * project lets it do. One line each.
 */
export function openingNotes(resolved: ResolvedConfig, flags: AgentFlags): readonly string[] {
  return [...foundModel(resolved, flags), ...(typeof flags.config === 'string' ? [] : projectRights(resolved))]
}

function foundModel({ config, sources }: ResolvedConfig, { model }: AgentFlags): readonly string[] {
  const { kind, name } = sources.model ?? {}
  if (model !== undefined || kind !== 'environment' || name === 'PALIMPSEST_MODEL') return []
  return [`No model is named: it is ${config.model}, since there is ${name}. --model takes another.`]
}

/** A file that came with a clone was perhaps never read. */
function projectRights({ config, sources, entrySources, file }: ResolvedConfig): readonly string[] {
  if (file === undefined) return []
  const allow = sources.allow?.name === file ? (config.allow ?? []) : []
  const urls = Object.entries(config.baseUrls ?? {}).filter(([name]) => entrySources.baseUrls?.[name]?.name === file)
  const rights = [
    ...(allow.length > 0 ? [`allows without asking: ${allow.join(', ')}`] : []),
    ...urls.map(([provider, url]) => `sends requests for ${provider} to ${url}`),
  ]
  return rights.length === 0 ? [] : [`${file} ${rights.join('; ')}. --no-config leaves it out.`]
}
