import { type HistoryQuestion, readAnswer, searchAnswer } from '../../stores/history-answers.ts'
import { COMPACTION_FOLLOWS, READ_ARGUMENTS, SEARCH_ARGUMENTS, TOOL_DESCRIPTIONS } from '../../stores/history-tools.ts'
import { isSame } from './answering-calls.ts'
import type { PalimpsestContext } from './palimpsest.ts'
import { type ToolInput, toolInput } from './tool-input.ts'

/** A tool for `generateText`, `streamText` and agents of AI SDK 6 and 7. */
export interface PalimpsestTool<Input> {
  readonly description: string
  readonly inputSchema: ToolInput<Input>
  /** What the model reads. Never throws. */
  readonly execute: (input: Input, call: ToolCallInfo) => Promise<string>
}

/** What the SDK tells a tool of its call, as far as it is read here. */
export interface ToolCallInfo {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** Which part of which history or artifact is read: positions of a history, characters of an artifact. */
export interface ReadInput {
  readonly path?: string
  readonly from?: number
  readonly to?: number
  readonly offset?: number
  readonly limit?: number
}

/** What is searched for, where, and how many matches are shown. */
export interface SearchInput {
  readonly query: string
  readonly path?: string
  readonly matches?: number
}

/** The tools by the names that pointers use. A type, not an interface: a tool set of the SDK has an index signature. */
export type PalimpsestTools = {
  readonly compact_conversation: PalimpsestTool<Record<never, never>>
  readonly read_history: PalimpsestTool<ReadInput>
  readonly search_history: PalimpsestTool<SearchInput>
}

/** Whose conversation the tools work on, where it is not to be found from the call. */
export interface ToolScope {
  readonly session: string
  /** Default: the context's. */
  readonly namespace?: string
}

/**
 * Tools by which a model asks for a compaction and finds again whatever left its prompt. Without a scope each call works on
 * the conversation that made it; give one where calls are run later or in another process (after an approval, say).
 *
 * @example
 * const context = palimpsestContext()
 * const model = wrapLanguageModel({ model: anthropic('claude-sonnet-4-5'), middleware: context.middleware })
 * await generateText({ model, tools: { ...palimpsestTools(context), ...ownTools }, prompt })
 */
export function palimpsestTools(context: PalimpsestContext, scope?: ToolScope): PalimpsestTools {
  const questionOf = (path: string | undefined, { toolCallId, abortSignal }: ToolCallInfo): HistoryQuestion => {
    const found = context.conversationOf(toolCallId)
    const conversation =
      scope === undefined ? found : { namespace: scope.namespace ?? context.namespace, session: scope.session }
    const own = found !== undefined && isSame(found, conversation) ? found.own : undefined
    return {
      stores: context.stores,
      conversation,
      path,
      ...(own && { own }),
      ...(abortSignal && { signal: abortSignal }),
    }
  }
  return {
    compact_conversation: {
      description: TOOL_DESCRIPTIONS.compact,
      inputSchema: toolInput({}),
      execute: async (_, { toolCallId }) =>
        context.conversationOf(toolCallId)?.mayCompact === false ? TOO_EARLY : COMPACTION_FOLLOWS,
    },
    read_history: {
      description: TOOL_DESCRIPTIONS.read,
      inputSchema: toolInput<ReadInput>(READ_ARGUMENTS),
      execute: ({ path, ...range }, call) => readAnswer(questionOf(path, call), range),
    },
    search_history: {
      description: TOOL_DESCRIPTIONS.search,
      inputSchema: toolInput<SearchInput>(SEARCH_ARGUMENTS, ['query']),
      execute: ({ path, query, ...bounds }, call) => searchAnswer(questionOf(path, call), query, bounds),
    },
  }
}

const TOO_EARLY = 'There is room enough yet: the conversation was not compacted.'
