import { readFileSync } from 'node:fs'
import { DEFAULT_PRESET, decodePreset, PalimpsestError, type Preset, parseJson, presetByName } from 'palimpsest'
import { type RungSpec, resolveProfile } from 'palimpsest/engine'
import type { AgentConfig } from './agent-config.ts'

/**
 * The policy of this configuration, with trigger, keep window and bound of arguments where they are configured. A profile's own
 * trigger and keep window are up to the compactor, which knows the model.
 *
 * @throws PalimpsestError `invalid-input` for a policy that does not exist, or a file that holds none.
 */
export function presetOf(config: AgentConfig): Preset {
  const policy = readPolicy(config.policy ?? DEFAULT_PRESET.name)
  return withArgumentBound(withKeep(withTrigger(policy, config), config), config)
}

/**
 * Who writes the summaries of a run with this model: `provider:model`, the id of a model, or `extractive`; undefined: the model
 * itself. What is said of one model counts more than what is said of all.
 */
export function summarizerOf(config: AgentConfig, model: { readonly id: string }): string | undefined {
  const named = resolveProfile(model.id, config.modelProfiles).summarizerModel ?? config.summarizerModel
  return named === OWN_MODEL ? undefined : named
}

/** As the proxy has it: the model of the call itself. */
const OWN_MODEL = 'model'

/** The policy of this name, or the one in the JSON file of this path. */
function readPolicy(nameOrFile: string): Preset {
  if (!nameOrFile.endsWith('.json')) return presetByName(nameOrFile)
  try {
    return decodePreset(parseJson(readFileSync(nameOrFile, 'utf8')).value)
  } catch (cause) {
    const hint = cause instanceof PalimpsestError ? cause.hint : 'Name a JSON file with a policy, or one that is known.'
    throw new PalimpsestError('invalid-input', `${nameOrFile}: ${(cause as Error).message}`, {
      ...(hint !== undefined && { hint }),
      cause,
    })
  }
}

/** A policy whose trigger is another one has no formula of its own any more: reserve and margin count. */
function withTrigger(policy: Preset, { contextTriggerFrac: fraction }: AgentConfig): Preset {
  if (fraction === undefined) return policy
  const { ownFormula: _ownFormula, ...rest } = policy
  return { ...rest, trigger: { fraction, of: 'window' } }
}

function withKeep(policy: Preset, { contextKeepFrac: fraction }: AgentConfig): Preset {
  const keepsNothing = policy.rungs.some((rung) => rung.strategy === 'summarizeOlder' && rung.form === 'keen')
  if (fraction === undefined || keepsNothing) return policy
  return { ...policy, keep: { fraction, of: 'window' }, rungs: policy.rungs.map(withoutOwnKeep) }
}

function withoutOwnKeep(rung: RungSpec): RungSpec {
  if (rung.strategy !== 'summarizeOlder') return rung
  const { keep: _keep, ...rest } = rung
  return rest
}

function withArgumentBound(policy: Preset, { toolArgMaxTokens: maxArgTokens }: AgentConfig): Preset {
  if (maxArgTokens === undefined) return policy
  const rungs = policy.rungs.map((rung) =>
    rung.strategy === 'truncateToolPayloads' ? { ...rung, maxArgTokens } : rung,
  )
  return { ...policy, rungs }
}
