import type { SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { AgentConfig } from '../config/agent-config.ts'
import type { ModelSettings } from './agent-model.ts'

type Effort = NonNullable<AgentConfig['effort']>

/**
 * How hard a model is told to think, in the options of its provider; empty where nothing is asked or the model cannot be told.
 * A budget is no larger than `cap`, the output cap, on which it comes on top.
 */
export function effortOptions(
  provider: 'anthropic' | 'openai' | 'openai-chat' | 'google' | 'bedrock',
  id: string,
  asked: { readonly effort: AgentConfig['effort']; readonly cap?: number | undefined },
): SharedV3ProviderOptions[string] {
  const { effort, cap = Number.POSITIVE_INFINITY } = asked
  return effort === undefined ? {} : EFFORTS[provider](id.toLowerCase(), effort, cap)
}

/** The same as a setting of calls, under the name by which the provider's SDK looks for it. */
export function effortSetting(
  ...[provider, id, asked]: Parameters<typeof effortOptions>
): Pick<ModelSettings, 'providerOptions'> {
  const options = effortOptions(provider, id, asked)
  const name = provider === 'openai-chat' ? 'openaiChat' : provider
  return Object.keys(options).length === 0 ? {} : { providerOptions: { [name]: options } }
}

const EFFORTS: Readonly<
  Record<
    Parameters<typeof effortOptions>[0],
    (id: string, effort: Effort, cap: number) => SharedV3ProviderOptions[string]
  >
> = {
  anthropic: anthropicEffort,
  openai: openaiEffort,
  'openai-chat': chatEffort,
  google: googleEffort,
  bedrock: bedrockEffort,
}

/** Tokens that older Claude models may think. */
const CLAUDE_BUDGETS: Readonly<Record<Effort, number>> = { low: 2_048, medium: 8_192, high: 16_384 }

/** Claude 4.6 and later decide themselves how long they think, guided by the effort; 3.7 to 4.5 take a budget. */
function claudeThinking(id: string): 'adaptive' | 'budget' | 'none' {
  if (/claude-(?:instant|v?2)|claude-3[-.](?:5|opus|sonnet|haiku)/.test(id)) return 'none'
  const takesBudget = /claude-3[-.]7|claude-(?:opus|sonnet|haiku)-4(?:[-.](?:[0-5](?!\d)|20\d{6})|@|:|$)/.test(id)
  return takesBudget ? 'budget' : 'adaptive'
}

/** Tokens; fewer than 1,024 are refused. */
function claudeBudget(effort: Effort, cap: number): number {
  return Math.max(1_024, Math.min(CLAUDE_BUDGETS[effort], cap))
}

function anthropicEffort(id: string, effort: Effort, cap: number): SharedV3ProviderOptions[string] {
  const thinking = claudeThinking(id)
  if (thinking === 'adaptive') return { thinking: { type: 'adaptive' }, effort }
  return thinking === 'budget' ? { thinking: { type: 'enabled', budgetTokens: claudeBudget(effort, cap) } } : {}
}

function bedrockEffort(id: string, effort: Effort, cap: number): SharedV3ProviderOptions[string] {
  if (/openai\.gpt/.test(id)) return { reasoningConfig: { maxReasoningEffort: effort } }
  if (/amazon\.nova-2/.test(id)) return { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }
  if (!id.includes('claude')) return {}
  const thinking = claudeThinking(id)
  if (thinking === 'adaptive') return { reasoningConfig: { type: 'adaptive', maxReasoningEffort: effort } }
  return thinking === 'budget' ? { reasoningConfig: { type: 'enabled', budgetTokens: claudeBudget(effort, cap) } } : {}
}

/** Models that think by themselves; the `pro` ones take only some efforts, the `chat` ones none. */
function openaiEffort(id: string, effort: Effort): SharedV3ProviderOptions[string] {
  if (/-chat|-pro\b|^o1-(?:mini|preview)/.test(id)) return {}
  if (/^codex/.test(id)) return { reasoningEffort: effort, forceReasoning: true }
  return /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(id) ? { reasoningEffort: effort } : {}
}

/** Of all that speak Chat Completions, the families that are known to take `reasoning_effort`. */
function chatEffort(id: string, effort: Effort): SharedV3ProviderOptions[string] {
  return /gpt-?oss|gpt-(?:[5-9]|\d\d)(?!.*-chat)|(?:^|\/)o[134](?:-mini)?$|gemini-(?:2\.5|[3-9])/.test(id)
    ? { reasoningEffort: effort }
    : {}
}

/** Tokens that Gemini 2.5 may think. */
const GEMINI_BUDGETS: Readonly<Record<Effort, number>> = { low: 1_024, medium: 8_192, high: 24_576 }

function googleEffort(id: string, effort: Effort): SharedV3ProviderOptions[string] {
  if (/gemini-2\.5/.test(id)) return { thinkingConfig: { thinkingBudget: GEMINI_BUDGETS[effort] } }
  if (!/gemini-(?:[3-9]|\d\d)/.test(id) || id.includes('image')) return {}
  // The first Gemini 3 Pro knows no level between its two.
  const thinkingLevel = effort === 'medium' && /gemini-3-pro/.test(id) ? 'high' : effort
  return { thinkingConfig: { thinkingLevel } }
}
