import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { AgentModel } from '../agent-model.ts'
import type { AssistantMessage, AssistantPart } from './assistant-part.ts'
import { type CallIdRule, CallIds } from './call-ids.ts'
import type { ReasoningRule } from './reasoning-rules.ts'

type ToolMessage = Extract<LanguageModelV3Message, { role: 'tool' }>

/** What a provider takes of what others wrote. */
export interface PromptRules {
  readonly reasoning: ReasoningRule
  readonly callIds: CallIdRule
  /** The name under which its parts carry ids of items that it may have stored. */
  readonly itemIds?: string
  /** Does it refuse texts of white space alone? */
  readonly refusesBlankText?: true
  /** One part as this provider's SDK should see it. */
  readonly part?: (part: AssistantPart) => AssistantPart
}

/**
 * A `fit` by these rules. What a message becomes depends on it and on those before it, so a prompt that only grew stays equal
 * in front; one in which nothing changes stays the same object.
 */
export function fitPrompt(rules: PromptRules): AgentModel['fit'] {
  return (prompt) => {
    const ids = new CallIds(rules.callIds)
    const fitted: LanguageModelV3Prompt = prompt.flatMap((message) => fitMessage(message, rules, ids) ?? [])
    const isSame = fitted.length === prompt.length && fitted.every((message, at) => message === prompt[at])
    return isSame ? prompt : fitted
  }
}

/** Undefined: nothing is left of it. */
function fitMessage(
  message: LanguageModelV3Message,
  rules: PromptRules,
  ids: CallIds,
): LanguageModelV3Message | undefined {
  if (message.role === 'assistant') return fitAnswer(message, rules, ids)
  return message.role === 'tool' ? fitResults(message, ids) : message
}

function fitAnswer(message: AssistantMessage, rules: PromptRules, ids: CallIds): AssistantMessage | undefined {
  const legible = withoutIdleText(withoutForeignReasoning(message.content, rules), rules)
  const kept = withoutLooseReasoning(legible)
  const lostReasoning = countReasoning(kept) < countReasoning(message.content)
  const content = kept.map((part) => {
    const renamed = withToolName(withCallId(part, ids))
    const unnamed = lostReasoning && rules.itemIds !== undefined ? withoutItemId(renamed, rules.itemIds) : renamed
    return rules.part?.(unnamed) ?? unnamed
  })
  if (content.length === 0 && message.content.length > 0) return undefined
  return isEqual(content, message.content) ? message : { ...message, content }
}

function withoutForeignReasoning(
  content: readonly AssistantPart[],
  { reasoning }: PromptRules,
): readonly AssistantPart[] {
  return content.filter((part) => part.type !== 'reasoning' || reasoning(part, content))
}

/**
 * What says nothing, and is refused: empty texts by many, blank ones by some. Beside signed thinking, too: the worst that comes of
 * it is that the thinking is refused, which is recovered from; a text that is refused would come back with every request.
 */
function withoutIdleText(
  content: readonly AssistantPart[],
  { refusesBlankText }: PromptRules,
): readonly AssistantPart[] {
  const says = (text: string) => (refusesBlankText ? text.trim() : text) !== ''
  return content.filter((part) => part.type !== 'text' || says(part.text))
}

/** Reasoning belongs to what follows it; where nothing does, providers refuse it. */
function withoutLooseReasoning(content: readonly AssistantPart[]): readonly AssistantPart[] {
  return content.slice(0, content.findLastIndex((part) => part.type !== 'reasoning') + 1)
}

function countReasoning(content: readonly AssistantPart[]): number {
  return content.filter((part) => part.type === 'reasoning').length
}

function withCallId(part: AssistantPart, ids: CallIds): AssistantPart {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return part
  const toolCallId = part.type === 'tool-call' ? ids.call(part.toolCallId) : ids.result(part.toolCallId)
  return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
}

/** Models call tools that there are not, by names that no provider takes back: the call is answered, and must not stop all others. */
function withToolName<Part extends AssistantPart | ToolMessage['content'][number]>(part: Part): Part {
  if (!('toolName' in part) || TOOL_NAME.test(part.toolName)) return part
  return { ...part, toolName: part.toolName.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST_NAME) || '_' }
}

/** What all providers take. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST_NAME = 64

/** An item whose reasoning is gone must not be named: the provider would miss the reasoning. */
function withoutItemId(part: AssistantPart, provider: string): AssistantPart {
  const own = part.type === 'reasoning' ? undefined : part.providerOptions?.[provider]
  if (own?.itemId === undefined) return part
  const { itemId: _, ...rest } = own
  return { ...part, providerOptions: { ...part.providerOptions, [provider]: rest } }
}

function fitResults(message: ToolMessage, ids: CallIds): ToolMessage {
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result') return part
    const toolCallId = ids.result(part.toolCallId)
    return withToolName(toolCallId === part.toolCallId ? part : { ...part, toolCallId })
  })
  return isEqual(content, message.content) ? message : { ...message, content }
}

function isEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at])
}
