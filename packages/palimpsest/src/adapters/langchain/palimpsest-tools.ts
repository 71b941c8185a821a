import { fieldsOf, numberOf, stringOf } from '../../dialects/json-fields.ts'
import { type HistoryQuestion, readAnswer, searchAnswer } from '../../stores/history-answers.ts'
import {
  COMPACTION_FOLLOWS,
  READ_ARGUMENTS,
  SEARCH_ARGUMENTS,
  TOOL_DESCRIPTIONS,
  TOOL_NAMES,
  type ToolArgument,
} from '../../stores/history-tools.ts'
import type { HistorySession, StoreCall, Stores } from '../../stores/ports.ts'
import type { OwnVersions } from '../../stores/read-history.ts'
import type { LangChainTool } from './agent-middleware.ts'

/** What the tools work on. */
export interface ToolSetup {
  readonly stores: Pick<Stores, 'artifacts' | 'history'>
  /** Whose conversation made this call; undefined where that cannot be told for sure. */
  conversationOf(call: ToolCall): (HistorySession & OwnVersions) | undefined
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
    toolOf('compact', {}, async () => COMPACTION_FOLLOWS),
    toolOf('read', READ_ARGUMENTS, (call) =>
      readAnswer(questionOf(setup, call), numbersOf(call.args, ['from', 'to', 'offset', 'limit'])),
    ),
    toolOf('search', SEARCH_ARGUMENTS, (call) =>
      searchAnswer(questionOf(setup, call), stringOf(call.args.query) ?? '', numbersOf(call.args, ['matches'])),
    ),
  ]
}

function toolOf(
  tool: keyof typeof TOOL_NAMES,
  properties: Readonly<Record<string, ToolArgument>>,
  answer: (call: ToolCall) => Promise<string>,
): LangChainTool {
  const required = 'query' in properties ? ['query'] : []
  return {
    name: TOOL_NAMES[tool],
    description: TOOL_DESCRIPTIONS[tool],
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

function questionOf({ stores, conversationOf }: ToolSetup, call: ToolCall): HistoryQuestion {
  const { args, signal } = call
  const conversation = conversationOf(call)
  return {
    stores,
    conversation,
    path: stringOf(args.path),
    ...(conversation?.own && { own: conversation.own }),
    ...(signal && { signal }),
  }
}

/** Those of the arguments that are numbers: models fill in what they do not need. */
function numbersOf<Name extends string>(args: ToolCall['args'], names: readonly Name[]): { [name in Name]?: number } {
  const known = names.map((name) => [name, numberOf(args[name])] as const).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { [name in Name]?: number }
}
