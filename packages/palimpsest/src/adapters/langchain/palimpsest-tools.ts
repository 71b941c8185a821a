import { fieldsOf, numberOf, stringOf } from '../../dialects/json-fields.ts'
import type { HistorySession, StoreCall, Stores } from '../../stores/ports.ts'
import { type ReadableHistory, readHistory } from '../../stores/read-history.ts'
import { searchHistory } from '../../stores/search-history.ts'
import type { LangChainTool } from './agent-middleware.ts'
import { TOOL_NAMES } from './tool-names.ts'

/** What the tools work on. */
export interface ToolSetup {
  readonly stores: Pick<Stores, 'artifacts' | 'history'>
  /** Whose conversation made this call; undefined where that cannot be told for sure. */
  conversationOf(call: ToolCall): HistorySession | undefined
}

/** A call as the agent hands it to a tool. */
export interface ToolCall extends StoreCall {
  readonly id: string | undefined
  readonly threadId: string | undefined
  readonly args: Readonly<Record<string, unknown>>
}

/** Tools by which a model asks for a compaction and finds again whatever left its requests. */
export function palimpsestTools(setup: ToolSetup): LangChainTool[] {
  return [
    toolOf(TOOL_NAMES.compact, COMPACT, {}, async () => COMPACTION_FOLLOWS),
    toolOf(TOOL_NAMES.read, READ, READ_ARGUMENTS, (call) => answerOrReason(setup, call, readAnswer)),
    toolOf(TOOL_NAMES.search, SEARCH, SEARCH_ARGUMENTS, (call) => answerOrReason(setup, call, searchAnswer)),
  ]
}

const COMPACT = `Asks for the conversation to be compacted: before your next step older messages are replaced by a summary. \
Use it when a piece of work is done and its details are no longer needed. Nothing is lost: read_history and search_history \
find it again.`
const COMPACTION_FOLLOWS = 'The conversation is compacted before your next step.'
const READ = `Reads messages of this conversation that are no longer in view, or the original of an artifact:// reference. \
Messages are numbered from 0; a page ends with the offset at which to read on.`
const SEARCH = `Searches the messages of this conversation that are no longer in view, or one artifact:// reference, for \
words, whatever their case. Gives the best matches with the number of their message, for read_history.`

const LONGEST_PAGE = 20_000
const MOST_MATCHES = 30
const PATH = {
  type: 'string',
  description:
    'A history path or an artifact:// reference, as it was shown. Default: the history of this conversation.',
}

const READ_ARGUMENTS = {
  path: PATH,
  from: { type: 'integer', description: 'The first message. Default 0.', minimum: 0 },
  to: { type: 'integer', description: 'The message before which to stop. Default: none.', minimum: 0 },
  offset: { type: 'integer', description: 'Characters to skip: where the page before ended.', minimum: 0 },
  limit: { type: 'integer', description: 'Characters of the page.', minimum: 2, maximum: LONGEST_PAGE },
}

const SEARCH_ARGUMENTS = {
  query: { type: 'string', description: 'The words to look for: names, paths, messages of errors.' },
  path: PATH,
  matches: { type: 'integer', description: 'The most matches. Default 10.', minimum: 1, maximum: MOST_MATCHES },
}

function toolOf(
  name: string,
  description: string,
  properties: Readonly<Record<string, object>>,
  answer: (call: ToolCall) => Promise<string>,
): LangChainTool {
  const required = 'query' in properties ? ['query'] : []
  return {
    name,
    description,
    schema: { type: 'object', properties, required, additionalProperties: false },
    lc_runnable: true,
    lc_namespace: ['palimpsest', 'tools'],
    returnDirect: false,
    invoke: (call, config) => answer(callOf(call, config)),
  }
}

function callOf(call: unknown, config: unknown): ToolCall {
  const { type, id, args } = fieldsOf(call)
  const { configurable, signal } = fieldsOf(config)
  return {
    id: stringOf(id),
    args: type === 'tool_call' ? fieldsOf(args) : fieldsOf(call),
    threadId: stringOf(fieldsOf(configurable).thread_id),
    ...(signal instanceof AbortSignal && { signal }),
  }
}

/** A tool that failed tells the model why; an exception would end the run. */
async function answerOrReason(
  setup: ToolSetup,
  call: ToolCall,
  answer: (history: ReadableHistory, args: ToolCall['args']) => string,
): Promise<string> {
  const conversation = setup.conversationOf(call)
  if (conversation === undefined) return 'It cannot be told which conversation this call belongs to; nothing was read.'
  try {
    const history = await storedText(setup.stores, conversation, call)
    if (history !== undefined) return answer(history, call.args)
    return isArtifact(call) ? 'There is no such artifact.' : 'Nothing has left the conversation yet.'
  } catch (error) {
    return `The stored messages could not be read: ${error instanceof Error ? error.message : 'the store failed'}.`
  }
}

const ARTIFACT = /^artifact:\/\/([0-9a-f]+)$/

function isArtifact({ args }: ToolCall): boolean {
  return stringOf(args.path)?.startsWith('artifact:') === true
}

/** An artifact, or the evicted messages of this conversation: no path leads to another one's. */
async function storedText(
  { artifacts, history }: ToolSetup['stores'],
  conversation: HistorySession,
  { args, signal }: ToolCall,
): Promise<ReadableHistory | undefined> {
  const how = signal === undefined ? {} : { signal }
  const key = ARTIFACT.exec(stringOf(args.path)?.trim() ?? '')?.[1]
  if (key === undefined) return history.read(conversation, how)
  const markdown = await artifacts.get(conversation.namespace, key, how)
  return markdown === undefined ? undefined : [{ position: 0, fingerprint: '', markdown }]
}

function readAnswer(history: ReadableHistory, args: ToolCall['args']): string {
  const numbers = ['from', 'to', 'offset', 'limit'].flatMap((name) => {
    const value = numberOf(args[name])
    return value === undefined ? [] : [[name, name === 'limit' ? Math.min(value, LONGEST_PAGE) : value]]
  })
  const page = readHistory(history, Object.fromEntries(numbers))
  if (page.length === 0) return 'No message of this range is stored: those are still in view.'
  if (page.next === undefined) return page.text
  return `${page.text}\n[${page.length - page.next} more characters; read on with offset ${page.next}]`
}

function searchAnswer(history: ReadableHistory, args: ToolCall['args']): string {
  const query = stringOf(args.query) ?? ''
  const most = numberOf(args.matches)
  const bounds = most === undefined ? {} : { matches: Math.min(most, MOST_MATCHES) }
  const { found, matches } = searchHistory(history, query, bounds)
  if (found === 0) return 'None of these words is in what is stored.'
  const lines = matches.map(({ position, offset, excerpt }) => `## message ${position}, offset ${offset}\n${excerpt}`)
  return [`${found} found, ${matches.length} shown.`, ...lines].join('\n\n')
}
