import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { stringOr } from '../json-fields.ts'
import { violation } from '../violation.ts'
import {
  type BedrockBlock,
  type BedrockMessage,
  clientCall,
  isCachePoint,
  memberOf,
  partsOf,
  roleOf,
  toolResult,
} from './items.ts'
import { BEDROCK_RULES } from './rules.ts'

/** Rules about calls and their results: each call is answered once, in the message after it. */
export function checkTools(view: Conversation<BedrockMessage>): readonly Violation[] {
  return [
    ...view.items.flatMap((message, position) => [
      ...checkCalls(message, view.items[position + 1], position),
      ...checkResults(message, view.items[position - 1], position),
    ]),
    ...checkDefinitions(view),
  ]
}

function callIds(message: BedrockMessage | undefined): ReadonlySet<string> {
  if (message === undefined || roleOf(message) !== 'assistant') return new Set()
  const ids = partsOf(message).map((block) => clientCall(block)?.toolUseId)
  return new Set(ids.filter((id) => typeof id === 'string'))
}

function answeredIds(message: BedrockMessage | undefined): ReadonlySet<string> {
  if (message === undefined || roleOf(message) !== 'user') return new Set()
  return new Set(partsOf(message).flatMap((block) => resultId(block) ?? []))
}

function resultId(block: BedrockBlock): string | undefined {
  const result = toolResult(block)
  return result === undefined ? undefined : stringOr(result.toolUseId, '')
}

function checkCalls(message: BedrockMessage, next: BedrockMessage | undefined, position: number): Violation[] {
  if (roleOf(message) !== 'assistant') return []
  const answered = answeredIds(next)
  const seen = new Set<string>()
  return partsOf(message).flatMap((block, part) => {
    const call = clientCall(block)
    if (call === undefined) return []
    const id = stringOr(call.toolUseId, '')
    if (seen.has(id)) {
      const text = `Two calls of message ${position} have the id ${id}.`
      return violation(BEDROCK_RULES.repeatedCall, { position, part }, text, 'Give every call its own id.')
    }
    seen.add(id)
    if (answered.has(id)) return []
    const text = `Call ${id} is not answered in the next user message.`
    return violation(BEDROCK_RULES.unanswered, { position, part }, text, 'Send its result, or leave the call out.')
  })
}

function checkResults(message: BedrockMessage, before: BedrockMessage | undefined, position: number): Violation[] {
  if (roleOf(message) !== 'user') return []
  const asked = callIds(before)
  const seen = new Set<string>()
  return partsOf(message).flatMap((block, part) => {
    const id = resultId(block)
    if (id === undefined) return []
    if (!asked.has(id)) {
      const text = `Result ${id} answers no call of the message before it.`
      return violation(BEDROCK_RULES.orphan, { position, part }, text, 'Leave the result out, or put its call back.')
    }
    if (seen.has(id)) {
      const text = `Call ${id} is answered more than once.`
      return violation(BEDROCK_RULES.repeatedResult, { position, part }, text, 'Send one result for each call.')
    }
    seen.add(id)
    return []
  })
}

function checkDefinitions(view: Conversation<BedrockMessage>): Violation[] {
  if (view.tools === undefined || !view.tools.every(isCachePoint)) return []
  const isToolBlock = (block: BedrockBlock) => memberOf(block) === 'toolUse' || memberOf(block) === 'toolResult'
  const position = view.items.findIndex((message) => partsOf(message).some(isToolBlock))
  if (position < 0) return []
  const text = 'The history holds tool blocks, the request has no tool configuration.'
  return [violation(BEDROCK_RULES.noTools, {}, text, 'Send the tool configuration along.')]
}
