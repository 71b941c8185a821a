import { LONGEST_PAGE, MOST_MATCHES } from './history-answers.ts'

/** The tools that a model gets. Pointers name the reading one, so none may be given under another name. */
export const TOOL_NAMES = {
  compact: 'compact_conversation',
  read: 'read_history',
  search: 'search_history',
} as const

/** How a model that has these tools reads what was stored. */
export const TOOL_READER = { tool: TOOL_NAMES.read, also: [TOOL_NAMES.search] } as const

/** What a model reads of each tool. */
export const TOOL_DESCRIPTIONS = {
  compact: `Asks for the conversation to be compacted: before your next step older messages are replaced by a summary. \
Use it when a piece of work is done and its details are no longer needed. Nothing is lost: read_history and search_history \
find it again.`,
  read: `Reads messages of this conversation that are no longer in view, or the original of an artifact:// reference. \
Messages are numbered from 0; a page ends with the offset at which to read on.`,
  search: `Searches the messages of this conversation that are no longer in view, or one artifact:// reference, for \
words, whatever their case. Gives the best matches with the number of their message, for read_history.`,
} as const

/** What a model reads when it asked for a compaction and gets one; the next call may find its wish by this answer. */
export const COMPACTION_FOLLOWS = 'The conversation is compacted before your next step.'

/** One argument of a tool, as JSON Schema. */
export type ToolArgument =
  | { readonly type: 'string'; readonly description: string }
  | { readonly type: 'integer'; readonly description: string; readonly minimum: number; readonly maximum?: number }

const PATH = {
  type: 'string',
  description:
    'A history path or an artifact:// reference, as it was shown. Default: the history of this conversation.',
} as const

/** The arguments of `read_history`, none of which is needed. */
export const READ_ARGUMENTS = {
  path: PATH,
  from: { type: 'integer', description: 'The first message. Default 0.', minimum: 0 },
  to: { type: 'integer', description: 'The message before which to stop. Default: none.', minimum: 0 },
  offset: { type: 'integer', description: 'Characters to skip: where the page before ended.', minimum: 0 },
  limit: { type: 'integer', description: 'Characters of the page.', minimum: 2, maximum: LONGEST_PAGE },
} as const satisfies Readonly<Record<string, ToolArgument>>

/** The arguments of `search_history`; the query is needed. */
export const SEARCH_ARGUMENTS = {
  query: { type: 'string', description: 'The words to look for: names, paths, messages of errors.' },
  path: PATH,
  matches: { type: 'integer', description: 'The most matches. Default 10.', minimum: 1, maximum: MOST_MATCHES },
} as const satisfies Readonly<Record<string, ToolArgument>>
