import { readHistory } from '../../stores/read-history.ts'
import { searchHistory } from '../../stores/search-history.ts'
import type { ConversationScope } from './answering-calls.ts'
import type { PalimpsestContext } from './palimpsest.ts'
import { storedText } from './stored-text.ts'
import { type ToolInput, toolInput } from './tool-input.ts'
import { COMPACTION_FOLLOWS } from './tool-names.ts'

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

export interface ReadInput {
  readonly path?: string
  readonly from?: number
  readonly to?: number
  readonly offset?: number
  readonly limit?: number
}

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
  const scopeOf = ({ toolCallId }: ToolCallInfo) => {
    const found = context.conversationOf(toolCallId)
    return scope === undefined ? found : { namespace: scope.namespace ?? context.namespace, session: scope.session }
  }
  const answering =
    <Input>(answer: (input: Input, conversation: ConversationScope, call: ToolCallInfo) => Promise<string>) =>
    (input: Input, call: ToolCallInfo) =>
      answerOrReason(scopeOf(call), (conversation) => answer(input, conversation, call))
  return {
    compact_conversation: {
      description: COMPACT,
      inputSchema: toolInput({}),
      execute: async (_, { toolCallId }) =>
        context.conversationOf(toolCallId)?.mayCompact === false ? TOO_EARLY : COMPACTION_FOLLOWS,
    },
    read_history: {
      description: READ,
      inputSchema: READ_INPUT,
      execute: answering((input, conversation, call) => read(context, conversation, input, call)),
    },
    search_history: {
      description: SEARCH,
      inputSchema: SEARCH_INPUT,
      execute: answering((input, conversation, call) => search(context, conversation, input, call)),
    },
  }
}

const COMPACT = `Asks for the conversation to be compacted: before your next step older messages are replaced by a summary. \
Use it when a piece of work is done and its details are no longer needed. Nothing is lost: read_history and search_history \
find it again.`
const TOO_EARLY = 'There is room enough yet: the conversation was not compacted.'
const READ = `Reads messages of this conversation that are no longer in view, or the original of an artifact:// reference. \
Messages are numbered from 0; a page ends with the offset at which to read on.`
const SEARCH = `Searches the messages of this conversation that are no longer in view, or one artifact:// reference, for \
words, whatever their case. Gives the best matches with the number of their message, for read_history.`

const LONGEST_PAGE = 20_000
const MOST_MATCHES = 30
const PATH = 'A history path or an artifact:// reference, as it was shown. Default: the history of this conversation.'

const READ_INPUT = toolInput<ReadInput>({
  path: { type: 'string', description: PATH },
  from: { type: 'integer', description: 'The first message. Default 0.', minimum: 0 },
  to: { type: 'integer', description: 'The message before which to stop. Default: none.', minimum: 0 },
  offset: { type: 'integer', description: 'Characters to skip: where the page before ended.', minimum: 0 },
  limit: { type: 'integer', description: 'Characters of the page.', minimum: 2, maximum: LONGEST_PAGE },
})

const SEARCH_INPUT = toolInput<SearchInput>(
  {
    query: { type: 'string', description: 'The words to look for: names, paths, messages of errors.' },
    path: { type: 'string', description: PATH },
    matches: { type: 'integer', description: 'The most matches. Default 10.', minimum: 1, maximum: MOST_MATCHES },
  },
  ['query'],
)

/** A tool that failed tells the model why; an exception would end the application's turn. */
async function answerOrReason(
  conversation: ConversationScope | undefined,
  answer: (conversation: ConversationScope) => Promise<string>,
): Promise<string> {
  if (conversation === undefined) return 'It cannot be told which conversation this call belongs to; nothing was read.'
  try {
    return await answer(conversation)
  } catch (error) {
    return `The stored messages could not be read: ${error instanceof Error ? error.message : 'the store failed'}.`
  }
}

async function read(
  { stores }: PalimpsestContext,
  conversation: ConversationScope,
  { path, ...range }: ReadInput,
  { abortSignal: signal }: ToolCallInfo,
): Promise<string> {
  const text = await storedText(stores, conversation, { path, ...(signal && { signal }) })
  if (text === undefined) return nothingStored(path)
  const page = readHistory(text, range)
  if (page.length === 0) return 'No message of this range is stored: those are still in view.'
  if (page.next === undefined) return page.text
  return `${page.text}\n[${page.length - page.next} more characters; read on with offset ${page.next}]`
}

async function search(
  { stores }: PalimpsestContext,
  conversation: ConversationScope,
  { query, path, matches }: SearchInput,
  { abortSignal: signal }: ToolCallInfo,
): Promise<string> {
  const text = await storedText(stores, conversation, { path, ...(signal && { signal }) })
  if (text === undefined) return nothingStored(path)
  const { found, matches: best } = searchHistory(text, query, matches === undefined ? {} : { matches })
  if (found === 0) return 'None of these words is in what is stored.'
  const lines = best.map(({ position, offset, excerpt }) => `## message ${position}, offset ${offset}\n${excerpt}`)
  return [`${found} found, ${best.length} shown.`, ...lines].join('\n\n')
}

function nothingStored(path: string | undefined): string {
  return path?.startsWith('artifact:') ? 'There is no such artifact.' : 'Nothing has left the conversation yet.'
}
