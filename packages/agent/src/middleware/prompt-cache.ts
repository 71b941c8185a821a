import { type AiSdkMessage, aiSdk, type ProfileOverrides } from 'palimpsest'
import type { AiSdkCallOptions } from 'palimpsest/ai-sdk'
import { resolveProfile } from 'palimpsest/engine'
import type { AgentMiddleware, ModelStep } from '../loop/middleware.ts'

export interface PromptCacheOptions {
  /** Profiles of the user's own: `caching` decides. */
  readonly profiles?: ProfileOverrides
}

/**
 * Lets the provider keep what does not change. Where it reads cache marks, they stand on the last stable system block, on the
 * summary that opens a compacted view, where this request ends, and where the one before it ended; at most four, with marks that
 * are there already. Providers that cache by themselves are told which conversation it is. Models without caching: nothing.
 */
export function promptCacheSlot({ profiles }: PromptCacheOptions = {}): AgentMiddleware {
  return {
    name: 'prompt-cache',
    wrapModelCall(step, next) {
      if (!resolveProfile(step.model.id, profiles).caching) return next(step)
      return next({ ...step, options: cached(step) })
    },
  }
}

function cached(step: ModelStep): AiSdkCallOptions {
  const { provider } = step.model.language
  if (READS_MARKS.test(provider)) return marked(step)
  return TAKES_KEY.test(provider) ? keyed(step) : step.options
}

/** Provider names of the AI SDK: `anthropic.messages`, `amazon-bedrock`; `openai.responses`, `codex.responses`. */
const READS_MARKS = /anthropic|bedrock/
const TAKES_KEY = /^(?:openai|codex)\./

function marked({ options, stableSystem }: ModelStep): AiSdkCallOptions {
  const conversation = aiSdk.open(options)
  const summary = conversation.items.findIndex((item) => aiSdk.view(item).checkpoint === true)
  const system = { stable: stableSystem }
  const opening = aiSdk.markCache(conversation, { system, ...(summary >= 0 && { item: summary }) })
  const whole = requestEnds(conversation.items).reduce(
    (view, item) => aiSdk.markCache(view, { system: false, item }),
    opening,
  )
  return aiSdk.close(options, whole) as AiSdkCallOptions
}

/**
 * Where this request ends, and where the one before it did: a provider looks for what it has kept at a mark and a few blocks
 * before it, and a step with many calls is longer than that.
 */
function requestEnds(items: readonly AiSdkMessage[]): readonly number[] {
  const answer = items.findLastIndex(({ role }) => role === 'assistant')
  return [items.length - 1, answer - 1].filter((place) => place >= 0)
}

/** Characters that OpenAI takes of a key. */
const LONGEST_KEY = 64

function keyed({ options, session }: ModelStep): AiSdkCallOptions {
  const { openai } = options.providerOptions ?? {}
  if (openai?.promptCacheKey !== undefined) return options
  const promptCacheKey = session.slice(0, LONGEST_KEY)
  return { ...options, providerOptions: { ...options.providerOptions, openai: { ...openai, promptCacheKey } } }
}
