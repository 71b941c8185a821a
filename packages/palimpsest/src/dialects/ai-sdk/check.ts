import type { Conversation, RenderContext, Violation } from '../../engine/messages/message.ts'
import { property, stringOf } from '../json-fields.ts'
import { brokenRules, type ProtocolRule } from '../protocol-rule.ts'
import type { AiSdkMessage, AiSdkPart } from './items.ts'
import { isReasoning, partsOf, typeOf } from './part-data.ts'
import { type Batch, batchesOf, type PlacedPart } from './tool-batch.ts'
import { jsonText } from './wire-json.ts'

/**
 * The rules that hold for a prompt whatever provider it goes to, broken by this view. With `strictAlternation`, those of
 * providers with strict templates too.
 */
export function checkMessages(
  view: Conversation<AiSdkMessage>,
  context: Partial<RenderContext> = {},
): readonly Violation[] {
  const rules = context.strictAlternation ? [...RULES, ...STRICT_RULES] : RULES
  return brokenRules(rules, view.items)
}

/** There is at least one message beside the system messages. */
const promptNotEmpty: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/prompt-empty',
  fix: 'Keep at least the last user message.',
  find: (messages) => (messages.length === 0 ? [{ message: 'The prompt has no messages.' }] : []),
}

/** The role is one of four. */
const knownRole: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/role',
  fix: 'Use the role system, user, assistant or tool.',
  find: (messages) =>
    messages.flatMap((message, position) => {
      const role = property(message, 'role')
      return PART_TYPES.has(role) ? [] : [{ position, message: `The role ${jsonText(role)} does not exist.` }]
    }),
}

/** A message has at least one part. */
const contentNotEmpty: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/message-without-parts',
  fix: 'Leave the message out or give it a part.',
  find: (messages) =>
    messages.flatMap((message, position) =>
      partsOf(message).length === 0 ? [{ position, message: 'The message has no parts.' }] : [],
    ),
}

/** The parts that only some roles may hold; types that are not named here are nobody's to judge. */
const PART_TYPES: ReadonlyMap<unknown, (part: AiSdkPart) => boolean> = new Map([
  ['system', (part) => typeOf(part) === 'text'],
  ['user', (part) => !isToolPart(part) && !isReasoning(part)],
  ['assistant', (part) => typeOf(part) !== 'tool-approval-response'],
  ['tool', (part) => typeOf(part) !== 'tool-call' && typeOf(part) !== 'tool-approval-request' && !isReasoning(part)],
])

function isToolPart(part: AiSdkPart): boolean {
  return typeOf(part).startsWith('tool-')
}

/** Calls and thinking are the assistant's, results the tool's, approvals the user's answer in a tool message. */
const partFitsRole: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/part-in-wrong-role',
  fix: 'Move the part to a message of its role.',
  find: (messages) =>
    messages.flatMap((message, position) =>
      partsOf(message).flatMap((own, part) => {
        if (PART_TYPES.get(message.role)?.(own) ?? true) return []
        return [{ position, part, message: `A ${message.role} message holds a ${typeOf(own)} part.` }]
      }),
    ),
}

/** Every call that the client runs is answered in the tool messages right behind it, unless it waits for an approval. */
const callAnswered: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/call-without-result',
  fix: 'Keep the tool messages with the results directly behind their calls, or drop both.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) =>
      batch.calls
        .filter((call) => !isAnswered(call, batch) && !isApprovalAsked(call, batch))
        .map((call) => at(call, `The call ${idText(call)} has no result behind it.`)),
    ),
}

function isAnswered(call: PlacedPart, batch: Batch): boolean {
  return batch.results.some((result) => callId(result) === callId(call))
}

function isApprovalAsked(call: PlacedPart, batch: Batch): boolean {
  return batch.requests.some((request) => callId(request) === callId(call))
}

/** A result stands in the tool messages right behind the assistant message with its call. */
const resultHasCall: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/result-without-call',
  fix: 'Keep the assistant message with the call directly before its results, or drop both.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) =>
      batch.results
        .filter((result) => ![...batch.calls, ...batch.providerCalls].some((call) => callId(call) === callId(result)))
        .map((result) => at(result, `The result ${idText(result)} has no call before it.`)),
    ),
}

/** A call id stands once in its assistant message. In later steps it may come again: servers number from 0 each time. */
const callOnce: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/duplicate-call',
  fix: 'Give each call of a message its own id.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) =>
      repeated([...batch.calls, ...batch.providerCalls]).map((call) =>
        at(call, `The id ${idText(call)} stands on two calls of one message.`),
      ),
    ),
}

/** A call has one result. */
const resultOnce: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/duplicate-result',
  fix: 'Keep one result for each call.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) =>
      repeated(batch.results).map((result) => at(result, `The call ${idText(result)} has two results.`)),
    ),
}

/** A result of the provider's own tool comes after its call; some providers deliver it in a later message. */
const providerResultHasCall: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/provider-result-without-call',
  fix: 'Keep the message with the call that the provider ran, or drop both.',
  find: (messages) => {
    const called = new Set<string | undefined>()
    return batchesOf(messages).flatMap((batch) => {
      for (const call of [...batch.calls, ...batch.providerCalls]) called.add(callId(call))
      return batch.providerResults
        .filter((result) => !called.has(callId(result)))
        .map((result) => at(result, `The provider's result ${idText(result)} has no call before it.`))
    })
  },
}

/** An approval is asked for a call of the same message. */
const requestHasCall: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/approval-request-without-call',
  fix: 'Keep the call and the request for its approval together.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) =>
      batch.requests
        .filter((request) => ![...batch.calls, ...batch.providerCalls].some((call) => callId(call) === callId(request)))
        .map((request) => at(request, `The approval of ${idText(request)} is asked for a call that is not there.`)),
    ),
}

/** Before anything else follows, a request for approval is answered, or its call has a result. */
const requestAnswered: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/approval-request-without-response',
  fix: 'Keep the approval response behind its request, or drop both with their call.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) => {
      if (batch.isLast) return []
      const settled = [...batch.results, ...batch.providerResults].map(callId)
      return batch.requests
        .filter((request) => !batch.responses.some((response) => approvalId(response) === approvalId(request)))
        .filter((request) => !settled.includes(callId(request)))
        .map((request) => at(request, `The request ${approvalId(request) ?? ''} is never answered.`))
    }),
}

/**
 * A response stands in the tool messages behind the assistant message that asked. Prompts for a model do not carry the
 * requests of the provider's own tools: where the message has none, it is not held against the response.
 */
const responseHasRequest: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/approval-response-without-request',
  fix: 'Keep the assistant message that asked for the approval directly before it, or drop both.',
  find: (messages) =>
    batchesOf(messages).flatMap((batch) =>
      batch.responses
        .filter((response) => {
          const asked = batch.requests.some((request) => approvalId(request) === approvalId(response))
          return batch.assistant === undefined || (batch.requests.length > 0 && !asked)
        })
        .map((response) => at(response, `Nobody asked for the approval ${approvalId(response) ?? ''}.`)),
    ),
}

const RULES: readonly ProtocolRule<AiSdkMessage>[] = [
  promptNotEmpty,
  knownRole,
  contentNotEmpty,
  partFitsRole,
  callAnswered,
  resultHasCall,
  callOnce,
  resultOnce,
  providerResultHasCall,
  requestHasCall,
  requestAnswered,
  responseHasRequest,
]

/** The first message is the user's. */
const userFirst: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/first-message-not-user',
  fix: 'Start with the summary or with a user message.',
  find: ([first]) =>
    first?.role === 'assistant' ? [{ position: 0, message: 'The first message is the assistant’s.' }] : [],
}

/** System messages only lead. */
const systemLeads: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/system-inside-history',
  fix: 'Put system messages in front of all others.',
  find: (messages) =>
    messages.flatMap((message, position) =>
      property(message, 'role') === 'system'
        ? [{ position, message: 'A system message stands inside the history.' }]
        : [],
    ),
}

/** User and assistant take turns, tool messages apart. */
const rolesAlternate: ProtocolRule<AiSdkMessage> = {
  id: 'ai-sdk/roles-do-not-alternate',
  fix: 'Join neighbouring messages of one role.',
  find: (messages) =>
    messages.flatMap((message, position) => {
      const role = property(message, 'role')
      const repeats = (role === 'user' || role === 'assistant') && property(messages[position - 1], 'role') === role
      return repeats ? [{ position, message: `Two ${role} messages follow each other.` }] : []
    }),
}

const STRICT_RULES: readonly ProtocolRule<AiSdkMessage>[] = [userFirst, systemLeads, rolesAlternate]

function at(part: PlacedPart, message: string): Omit<Violation, 'rule' | 'fix'> {
  return { position: part.position, part: part.part, message }
}

function callId(part: PlacedPart): string | undefined {
  return stringOf(property(part.native, 'toolCallId'))
}

function approvalId(part: PlacedPart): string | undefined {
  return stringOf(property(part.native, 'approvalId'))
}

function idText(part: PlacedPart): string {
  return callId(part) ?? '(without an id)'
}

/** The parts whose call id stood before in the list. */
function repeated(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  return parts.filter((part, index) => parts.findIndex((other) => callId(other) === callId(part)) < index)
}
