import { fieldsOf, listOf } from '../../dialects/json-fields.ts'
import type { LangChainMessage } from '../../dialects/langchain/index.ts'
import { TOOL_READER } from '../../stores/history-tools.ts'
import { memoryStores } from '../../stores/memory-stores.ts'
import type { LangChainMiddleware } from './agent-middleware.ts'
import { answeredCall } from './answered-call.ts'
import { AnsweringCalls, type AskingConversation } from './answering-calls.ts'
import { CallPreparation } from './call-preparation.ts'
import type { PalimpsestOptions } from './palimpsest-options.ts'
import { palimpsestTools } from './palimpsest-tools.ts'

/** The name of the middleware that `createDeepAgent` compacts with by itself. */
export const DEEPAGENTS_SUMMARIZATION = 'SummarizationMiddleware'

/**
 * A middleware for `createAgent` of LangChain 1 that keeps every model call inside its window. The messages in the state of the
 * graph are never rewritten: only what the model is sent is a compacted view of them, so checkpoints, time travel and
 * whatever else reads the state see the whole conversation.
 *
 * Deep agents (`deepagents`) come with a summarisation of their own, in the main agent and in every sub-agent. There a
 * middleware takes the place of the one that has its name: give this one that name. In the main agent and the
 * general-purpose sub-agent it is replaced by the `middleware` of the call, in a sub-agent of yours by that sub-agent's.
 *
 * @example
 * const agent = createAgent({ model: 'anthropic:claude-sonnet-4-5', tools, middleware: [palimpsestMiddleware()] })
 * @example
 * const agent = createDeepAgent({ middleware: [palimpsestMiddleware({ name: DEEPAGENTS_SUMMARIZATION })] })
 */
export function palimpsestMiddleware(options: PalimpsestOptions = {}): LangChainMiddleware {
  const { name = 'Palimpsest' } = options
  if (options.tools !== true) return middlewareOf(name, new CallPreparation(options), () => {})
  const stores = options.stores ?? memoryStores()
  const preparation = new CallPreparation({ reader: TOOL_READER, ...options, stores })
  const { namespace } = preparation
  const calls = new AnsweringCalls()
  const tools = palimpsestTools({
    stores,
    conversationOf: ({ id, threadId }) => {
      const asking = calls.conversationOf(id ?? '')
      const session = asking?.session ?? preparation.sessionOfRun(threadId)
      return session === undefined ? undefined : { namespace, session, ...(asking && { own: asking.own }) }
    },
  })
  const note: AnswerObserver = (message, conversation) => calls.note(message as LangChainMessage, conversation)
  return { ...middlewareOf(name, preparation, note), tools }
}

/** LangChain marks what its own `createMiddleware` makes with this. */
const BRAND = Symbol.for('AgentMiddleware')

/** Takes the message of an answer and the conversation that it belongs to. */
type AnswerObserver = (message: unknown, conversation: AskingConversation) => void

function middlewareOf(name: string, preparation: CallPreparation, onAnswer: AnswerObserver): LangChainMiddleware {
  const middleware: LangChainMiddleware = {
    name,
    async wrapModelCall(request, handler) {
      const first = await preparation.prepare(request)
      const { answer, prepared } = await answeredCall(first, (sent) => handler(sent as typeof request))
      onAnswer(listOf(fieldsOf(answer).messages)[0] ?? answer, prepared)
      return answer
    },
  }
  return Object.assign(middleware, { [BRAND]: true })
}
