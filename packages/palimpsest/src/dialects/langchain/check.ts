import type { Conversation, PartView, RenderContext, Violation } from '../../engine/messages/message.ts'
import { fieldsOf } from '../json-fields.ts'
import { brokenRules, type ProtocolRule } from '../protocol-rule.ts'
import type { LangChainMessage } from './items.ts'
import { speakerOf, typeOf } from './slots.ts'
import { viewMessage } from './view.ts'

/**
 * The rules that hold for messages whatever provider they go to, broken by this view. With `strictAlternation`, those of
 * providers with strict templates too.
 */
export function checkMessages(
  view: Conversation<LangChainMessage>,
  context: Partial<RenderContext> = {},
): readonly Violation[] {
  const rules = context.strictAlternation ? [...RULES, ...STRICT_RULES] : RULES
  return brokenRules(rules, view.items)
}

/** There is at least one message. */
const notEmpty: ProtocolRule<LangChainMessage> = {
  id: 'langchain/no-messages',
  fix: 'Keep at least the last human message.',
  find: (messages) => (messages.length === 0 ? [{ message: 'The request has no messages.' }] : []),
}

/** A message is of a type that models take. */
const knownType: ProtocolRule<LangChainMessage> = {
  id: 'langchain/unknown-type',
  fix: 'Use a human, AI, tool or system message.',
  find: (messages) =>
    messages.flatMap((message, position) =>
      speakerOf(message) === undefined
        ? [{ position, message: `No model takes a message of type "${typeOf(message)}".` }]
        : [],
    ),
}

/** Only the model may say nothing. */
const contentNotEmpty: ProtocolRule<LangChainMessage> = {
  id: 'langchain/empty-content',
  fix: 'Leave the message out.',
  find: (messages) =>
    messages.flatMap((message, position) => {
      const { content } = fieldsOf(message)
      const isAbsent = content == null || (Array.isArray(content) && content.length === 0)
      return isAbsent && speakerOf(message) === 'user' ? [{ position, message: 'A human message has no content.' }] : []
    }),
}

/** A step of the model with the messages behind it that hold its results. */
interface Batch {
  readonly calls: readonly PlacedPart[]
  readonly results: readonly PlacedPart[]
}

interface PlacedPart {
  readonly position: number
  readonly part: number
  readonly view: PartView
}

/** Calls and the results that stand directly behind them, before anything else. */
function batchesOf(messages: readonly LangChainMessage[]): readonly Batch[] {
  const batches: { calls: PlacedPart[]; results: PlacedPart[] }[] = []
  messages.forEach((message, position) => {
    const parts = viewMessage(message).parts.map((view, part) => ({ position, part, view }))
    const results = parts.filter(({ view }) => view.kind === 'tool-result')
    const calls = parts.filter(({ view }) => view.kind === 'tool-call')
    if (results.length === 0 || batches.length === 0) batches.push({ calls, results })
    else batches.at(-1)?.results.push(...results)
    // Words beside results end the step.
    if (results.length > 0 && results.length < parts.length) batches.push({ calls: [], results: [] })
  })
  return batches
}

function batchRule(id: string, fix: string, faults: (batch: Batch) => readonly [PlacedPart, string][]) {
  const rule: ProtocolRule<LangChainMessage> = {
    id,
    fix,
    find: (messages) =>
      batchesOf(messages).flatMap((batch) =>
        faults(batch).map(([{ position, part }, message]) => ({ position, part, message })),
      ),
  }
  return rule
}

/** Every call is answered directly behind its message, before anything else. */
const callAnswered = batchRule(
  'langchain/call-without-result',
  'Put one tool message for each call behind it, or leave the step out.',
  ({ calls, results }) =>
    calls
      .filter((call) => !results.some((result) => answers(result, call)))
      .map((call) => [call, `The call ${nameOf(call)} has no result behind it.`]),
)

/** A result answers a call of the step that it follows. */
const resultHasCall = batchRule(
  'langchain/result-without-call',
  'Keep the message with the call directly before its results, or leave them out.',
  ({ calls, results }) =>
    results
      .filter((result) => !calls.some((call) => answers(result, call)))
      .map((result) => [result, `The result ${nameOf(result)} answers no call before it.`]),
)

/** A call has one result. */
const resultOnce = batchRule('langchain/duplicate-result', 'Keep one result for each call.', ({ results }) =>
  repeated(results).map((result) => [result, `The call ${nameOf(result)} is answered a second time.`]),
)

/** A call id stands once in its message. */
const callOnce = batchRule('langchain/duplicate-call', 'Give each call of a message its own id.', ({ calls }) =>
  repeated(calls).map((call) => [call, `The id ${nameOf(call)} stands on two calls of one message.`]),
)

const RULES: readonly ProtocolRule<LangChainMessage>[] = [
  notEmpty,
  knownType,
  contentNotEmpty,
  callAnswered,
  resultHasCall,
  resultOnce,
  callOnce,
]

/** By id; the older form has none, and answers by name. */
function answers({ view: result }: PlacedPart, { view: call }: PlacedPart): boolean {
  return call.callId === undefined && result.callId === undefined
    ? call.toolName === result.toolName
    : call.callId === result.callId
}

function repeated(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  const withId = parts.filter(({ view }) => view.callId !== undefined)
  return withId.filter(({ view }, index) => withId.findIndex((other) => other.view.callId === view.callId) < index)
}

function nameOf({ view }: PlacedPart): string {
  return view.callId ?? `of ${view.toolName ?? 'a tool without a name'}, which has no id,`
}

/** The first message is not the model’s. */
const userFirst: ProtocolRule<LangChainMessage> = {
  id: 'langchain/first-not-human',
  fix: 'Begin with a human message or a summary.',
  find: ([first]) =>
    first !== undefined && speakerOf(first) === 'assistant'
      ? [{ position: 0, message: 'The first message is the model’s.' }]
      : [],
}

/** System messages only lead. */
const systemLeads: ProtocolRule<LangChainMessage> = {
  id: 'langchain/system-not-first',
  fix: 'Move it to the beginning.',
  find: (messages) =>
    messages.flatMap((message, position) =>
      speakerOf(message) === 'system' ? [{ position, message: 'A system message stands between the others.' }] : [],
    ),
}

/** Human and model take turns, tool messages apart. */
const rolesAlternate: ProtocolRule<LangChainMessage> = {
  id: 'langchain/roles-must-alternate',
  fix: 'Join them to one message.',
  find: (messages) => {
    const roles = messages.map((message) => viewMessage(message).role)
    return roles.flatMap((role, position) => {
      const repeats = (role === 'user' || role === 'assistant') && roles[position - 1] === role
      return repeats ? [{ position, message: 'Two neighbours have the same role.' }] : []
    })
  },
}

const STRICT_RULES: readonly ProtocolRule<LangChainMessage>[] = [userFirst, systemLeads, rolesAlternate]
