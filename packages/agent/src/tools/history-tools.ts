import {
  COMPACTION_FOLLOWS,
  type HistoryQuestion,
  type OwnVersions,
  READ_ARGUMENTS,
  readAnswer,
  SEARCH_ARGUMENTS,
  type Stores,
  searchAnswer,
  TOOL_DESCRIPTIONS,
  TOOL_NAMES,
  type ToolArgument,
} from 'palimpsest'
import { z } from 'zod'
import type { AgentTool, ToolCall } from './agent-tool.ts'
import { withinSeconds } from './time-limit.ts'

export interface HistoryToolOptions {
  readonly stores: Pick<Stores, 'artifacts' | 'history'>
  readonly namespace: string
  readonly session: string
  /** What the conversation itself says at the positions of its history, by its newest plan. */
  readonly own?: () => OwnVersions['own']
  /** May the model have its conversation compacted now? Default: always. */
  readonly mayCompact?: () => boolean
}

/** Tools by which a model asks for a compaction, and finds again what left its view. */
export function historyTools(options: HistoryToolOptions): readonly AgentTool[] {
  return [compactTool(options), readTool(options), searchTool(options)]
}

const TOO_EARLY = 'There is room enough yet: the conversation was not compacted.'
/** Seconds that a store may take. */
const STORE_SECONDS = 30

/** Only answers; the loop finds the wish by the answer. */
function compactTool({ mayCompact = () => true }: HistoryToolOptions): AgentTool<Record<string, never>> {
  return {
    name: TOOL_NAMES.compact,
    description: TOOL_DESCRIPTIONS.compact,
    input: z.strictObject({}),
    run: async () => ({ text: mayCompact() ? COMPACTION_FOLLOWS : TOO_EARLY }),
  }
}

const readInput = z.strictObject({
  path: textOf(READ_ARGUMENTS.path).optional(),
  from: numberOf(READ_ARGUMENTS.from).optional(),
  to: numberOf(READ_ARGUMENTS.to).optional(),
  offset: numberOf(READ_ARGUMENTS.offset).optional(),
  limit: numberOf(READ_ARGUMENTS.limit).optional(),
})

function readTool(options: HistoryToolOptions): AgentTool<z.infer<typeof readInput>> {
  return {
    name: TOOL_NAMES.read,
    description: TOOL_DESCRIPTIONS.read,
    input: readInput,
    run: ({ path, from, to, offset, limit }, call) => {
      const range = {
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(offset !== undefined && { offset }),
        ...(limit !== undefined && { limit }),
      }
      return answered(call, 'Reading', (signal) => readAnswer(questionOf(options, path, signal), range))
    },
  }
}

const searchInput = z.strictObject({
  query: textOf(SEARCH_ARGUMENTS.query),
  path: textOf(SEARCH_ARGUMENTS.path).optional(),
  matches: numberOf(SEARCH_ARGUMENTS.matches).optional(),
})

function searchTool(options: HistoryToolOptions): AgentTool<z.infer<typeof searchInput>> {
  return {
    name: TOOL_NAMES.search,
    description: TOOL_DESCRIPTIONS.search,
    input: searchInput,
    run: ({ query, path, matches }, call) =>
      answered(call, 'Searching', (signal) =>
        searchAnswer(questionOf(options, path, signal), query, matches === undefined ? {} : { matches }),
      ),
  }
}

async function answered(call: ToolCall, what: string, ask: (signal: AbortSignal) => Promise<string>) {
  const limit = { seconds: STORE_SECONDS, what: `${what} what is stored`, signal: call.signal }
  return { text: await withinSeconds(limit, ask) }
}

function questionOf(
  { stores, namespace, session, own }: HistoryToolOptions,
  path: string | undefined,
  signal: AbortSignal,
): HistoryQuestion {
  const versions = own?.()
  return { stores, conversation: { namespace, session }, path, signal, ...(versions && { own: versions }) }
}

function textOf({ description }: Extract<ToolArgument, { type: 'string' }>) {
  return z.string().describe(description)
}

function numberOf({ description, minimum, maximum }: Extract<ToolArgument, { type: 'integer' }>) {
  const number = z.int().min(minimum)
  return (maximum === undefined ? number : number.max(maximum)).describe(description)
}
