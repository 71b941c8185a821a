import { TOOL_READER } from '../../stores/history-tools.ts'
import { memoryStores } from '../../stores/memory-stores.ts'
import type { Stores } from '../../stores/ports.ts'
import { AnsweringCalls, type AskingConversation } from './answering-calls.ts'
import { CallPreparation } from './call-preparation.ts'
import { generateAnswer } from './generate-answer.ts'
import type { LanguageModel, PalimpsestMiddleware, StreamedAnswer } from './language-model.ts'
import type { PalimpsestOptions } from './palimpsest-options.ts'
import { streamAnswer } from './stream-answer.ts'

/** The middleware with what belongs to it: tools that read what it has stored. */
export interface PalimpsestContext {
  readonly middleware: PalimpsestMiddleware
  readonly stores: Stores
  /** Whose conversations these are where a call does not say. */
  readonly namespace: string
  /** The conversation that made this tool call; undefined where that cannot be told for sure. */
  conversationOf(toolCallId: string): AskingConversation | undefined
}

/**
 * A middleware that keeps every call of a language model inside its window, tool loops and agents included. It works with
 * AI SDK 6 and 7. Use one middleware for all calls: it knows conversations again.
 *
 * @example
 * const model = wrapLanguageModel({ model: anthropic('claude-sonnet-4-5'), middleware: palimpsest() })
 * const { text } = await generateText({ model, tools, stopWhen: stepCountIs(200), prompt: 'Migrate the tests.' })
 */
export function palimpsest(options: PalimpsestOptions = {}): PalimpsestMiddleware {
  return middlewareOf(new CallPreparation(options), () => {})
}

/**
 * The same middleware for models that get `palimpsestTools`: what leaves the prompt leaves a pointer that they can read.
 *
 * @example
 * const context = palimpsestContext({ stores: directoryStores('./sessions') })
 * const agent = new ToolLoopAgent({
 *   model: wrapLanguageModel({ model: openai('gpt-5'), middleware: context.middleware }),
 *   tools: { ...palimpsestTools(context), ...ownTools },
 * })
 */
export function palimpsestContext(options: PalimpsestOptions = {}): PalimpsestContext {
  const stores = options.stores ?? memoryStores()
  const preparation = new CallPreparation({ reader: TOOL_READER, ...options, stores }, 'with-tools')
  const { namespace } = preparation
  const { session } = options
  const calls = new AnsweringCalls()
  const named = session === undefined ? undefined : { namespace, session, mayCompact: true }
  return {
    middleware: middlewareOf(preparation, (parts, scope) => calls.note(parts, scope)),
    stores,
    namespace,
    conversationOf: (toolCallId) => calls.take(toolCallId) ?? named,
  }
}

/** Takes the parts of an answer and the conversation that they belong to. */
type AnswerObserver = (parts: readonly unknown[], conversation: AskingConversation) => void

/** The SDK takes the functions out of the object: they may not need it. */
function middlewareOf(preparation: CallPreparation, onParts: AnswerObserver): PalimpsestMiddleware {
  return {
    specificationVersion: 'v3',
    async wrapGenerate({ model, params }) {
      const call = await preparation.prepare(model as LanguageModel, params, 'generate')
      const { result, prepared } = await generateAnswer(model as LanguageModel, call.prepared)
      onParts(contentOf(result), preparation.conversationOf(call.namespace, prepared))
      return result as Awaited<ReturnType<typeof model.doGenerate>>
    },
    async wrapStream({ model, params }) {
      const call = await preparation.prepare(model as LanguageModel, params, 'stream')
      const answer = await streamAnswer(model as LanguageModel, call.prepared, (part, prepared) =>
        onParts([part], preparation.conversationOf(call.namespace, prepared)),
      )
      return answer as StreamedAnswer & Awaited<ReturnType<typeof model.doStream>>
    },
  }
}

function contentOf(result: unknown): readonly unknown[] {
  const content = (result as { readonly content?: unknown } | undefined)?.content
  return Array.isArray(content) ? content : []
}
