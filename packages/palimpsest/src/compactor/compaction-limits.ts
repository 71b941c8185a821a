import { PalimpsestError } from '../engine/errors.ts'
import type { RenderContext } from '../engine/messages/message.ts'
import type { Preset } from '../engine/presets/preset.ts'
import { type KeepWindow, resolveKeep } from '../engine/strategies/keep-window.ts'
import { contextBudget, loweredOutputCap } from '../engine/tokens/budget.ts'
import { type ModelProfile, type ProfileOverrides, resolveProfile } from '../engine/tokens/profiles.ts'

/** What a caller says about model and window; what is left out comes from the model's profile. */
export interface LimitOptions {
  /** The model, where the request does not name it or another is meant. */
  readonly model?: string
  /** Input and output tokens that the model takes at once. Beats every profile. */
  readonly window?: number
  /** Output tokens to leave room for. Default: what the request asks for, else 8,192. */
  readonly reserve?: number
  /** Beats the preset's keep window. */
  readonly keep?: KeepWindow
  /** Profiles of the user's own, by model. */
  readonly profiles?: ProfileOverrides
  readonly thinkingBinding?: RenderContext['thinkingBinding']
  readonly strictAlternation?: boolean
}

/** The numbers that one compaction goes by, in tokens of the whole request. */
export interface CompactionLimits {
  /** Undefined when nobody knows it. */
  readonly window?: number
  /** A request of this size or more is compacted. */
  readonly trigger: number
  /** Where a compaction must end. */
  readonly target: number
  /** What no request may exceed. */
  readonly limit: number
  readonly keep: KeepWindow
  readonly context: RenderContext
  /** The output cap for a request of this size; undefined: it stays as it is. */
  outputCap(size: number): number | undefined
  readonly profile: ModelProfile
}

/**
 * Trigger, target and limit of a preset for this request, of which `overhead` tokens cannot be compacted.
 *
 * @example
 * compactionLimits(DEFAULT_PRESET, { model: 'claude-sonnet-4-5', outputCap: 8_192 }, {}).trigger // 170000
 */
export function compactionLimits(
  preset: Preset,
  request: { readonly model?: string; readonly outputCap?: number; readonly thinkingBudget?: number },
  options: LimitOptions,
  overhead = 0,
): CompactionLimits {
  expectTokens('window', options.window)
  expectTokens('reserve', options.reserve)
  const model = options.model ?? request.model
  const profile = resolveProfile(model, options.profiles)
  const window = options.window ?? profile.window
  const context: RenderContext = {
    thinkingBinding: options.thinkingBinding ?? profile.thinkingBinding,
    strictAlternation: options.strictAlternation ?? profile.strictAlternation,
  }
  if (window === undefined) return withoutWindow(preset, context, profile, overhead, options.keep)
  const requested = options.reserve ?? request.outputCap
  const budget = contextBudget({
    window,
    ...(requested !== undefined && { requestedOutput: requested }),
    // a cap that the request does not set cannot be lowered: then all that is to be reserved stays reserved
    hasOutputCap: request.outputCap !== undefined,
    trigger: profile.triggerFrac === undefined ? preset.trigger : { fraction: profile.triggerFrac, of: 'window' },
    targetShare: preset.target,
    fixed: overhead,
    ...(preset.ownFormula !== undefined && { ownFormula: preset.ownFormula }),
  })
  const { outputCap, thinkingBudget } = request
  return {
    window,
    trigger: budget.trigger,
    target: budget.target,
    limit: Math.max(budget.ceiling, budget.trigger),
    keep: resolveKeep(options.keep ?? keepOf(preset, profile), window),
    context,
    profile,
    outputCap: (size) => {
      if (outputCap === undefined) return undefined
      const lowered = loweredOutputCap(budget, size, outputCap, thinkingBudget) ?? outputCap
      const cap = Math.min(lowered, Math.max(window - size, leastOutput(thinkingBudget)))
      return cap === outputCap ? undefined : cap
    },
  }
}

/** In a small window even the least output that a request is worth may be too much: only thinking has a fixed need. */
function leastOutput(thinkingBudget: number | undefined): number {
  return thinkingBudget === undefined ? 1 : thinkingBudget + 1_024
}

/** @throws PalimpsestError `invalid-input` for what is no number of tokens. */
function expectTokens(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isFinite(value) && value >= 0)) return
  throw new PalimpsestError('invalid-input', `The ${name} must be a number of tokens, not ${value}.`, {
    hint: 'Leave it out, and the profile of the model decides.',
  })
}

function keepOf({ keep }: Preset, { keepFrac }: ModelProfile): KeepWindow {
  return keepFrac === undefined || !('fraction' in keep) ? keep : { ...keep, fraction: keepFrac }
}

function withoutWindow(
  preset: Preset,
  context: RenderContext,
  profile: ModelProfile,
  overhead: number,
  keep = preset.keepWithoutWindow,
): CompactionLimits {
  const trigger = preset.triggerWithoutWindow
  const fixed = Math.min(trigger, overhead)
  return {
    trigger,
    target: Math.min(trigger - 1, Math.floor(fixed + (trigger - fixed) * preset.target)),
    limit: trigger,
    keep: resolveKeep(keep, trigger),
    context,
    profile,
    outputCap: () => undefined,
  }
}
