import { chainEntries, type EntryBody, foldEntries, type SessionEntry, type SessionStore } from '@palimpsest/sessions'
import { anthropicMessages, type CompactionRecord, type Conversation, compactConversation } from 'palimpsest'
import { anchorPlan, keptFrom, PositionChain } from 'palimpsest/engine'
import { anthropic, inventedSteps } from '../invented-requests.test-data.ts'

/** 2026-01-14 09:00 in UTC; each entry is a minute later than the one before. */
const START = Date.UTC(2026, 0, 14, 9)

export interface InventedSessionOptions {
  readonly steps?: number
  readonly namespace?: string
  readonly title?: string
  readonly started?: Partial<Extract<EntryBody, { type: 'session-started' }>>
}

/** A session of two turns with one compaction between them. */
export function inventedEntries({
  steps = 6,
  namespace = 'default',
  title = 'Berths of the harbour',
  started = {},
}: InventedSessionOptions = {}): readonly SessionEntry[] {
  const { messages, ...frame } = anthropic(inventedSteps(steps, 2_000))
  const items = messages as readonly object[]
  const half = 1 + 2 * (steps - 1)
  const said = (from: number, to: number) =>
    items.slice(from, to).map((item, at): EntryBody => ({ type: 'message-appended', position: from + at, item }))
  return entriesOf([
    {
      type: 'session-started',
      dialect: 'anthropic-messages',
      toolResults: 'full',
      model: 'claude-sonnet-4-5',
      cwd: '/home/dev/harbour',
      title,
      frame,
      ...started,
    },
    { type: 'turn-started' },
    ...said(0, half),
    usage(9_000),
    { type: 'turn-ended', outcome: 'answered' },
    { type: 'turn-started' },
    { type: 'compaction-applied', record: inventedRecord(items.slice(0, half), frame, namespace) },
    ...said(half, items.length),
    usage(4_000),
    { type: 'turn-ended', outcome: 'answered' },
  ])
}

export function entriesOf(bodies: readonly EntryBody[], after?: SessionEntry): readonly SessionEntry[] {
  const entries: SessionEntry[] = after === undefined ? [] : [after]
  for (const body of bodies) {
    const last = entries.at(-1)
    entries.push(...chainEntries([body], { after: last, at: START + (last?.seq ?? 0) * 60_000 }))
  }
  return after === undefined ? entries : entries.slice(1)
}

/** Stores entries as a session does: with its counters when a turn has ended. */
export async function storeEntries(store: SessionStore, id: string, entries: readonly SessionEntry[]): Promise<void> {
  const { lastInputTokens, compactions } = foldEntries(entries).snapshot
  await store.append(id, entries, {
    counters: { compactions, ...(lastInputTokens !== undefined && { lastInputTokens }) },
  })
}

function usage(input: number): EntryBody {
  return {
    type: 'usage-recorded',
    purpose: 'chat',
    usage: { input, cacheRead: 0, cacheWrite: 0, output: 120 },
  }
}

function inventedRecord(items: readonly object[], frame: object, namespace: string): CompactionRecord {
  const dialect = anthropicMessages
  const conversation: Conversation<object> = { ...dialect.open({ ...frame, messages: [] } as never), items }
  const result = compactConversation<object>(dialect as never, conversation, { window: 16_000, force: true })
  if (result.status !== 'compacted') throw new Error('The invented conversation was not compacted.')
  const { plan, strategies, tokensBefore, tokensAfter } = result
  const chain = new PositionChain<object>(dialect as never, items)
  const view = (position: number) => dialect.view(items[position] as never)
  return {
    ...anchorPlan(plan, { namespace, dialect: dialect.name }, { chain, view }),
    length: items.length,
    plan,
    strategy: strategies.join(', '),
    reason: 'threshold',
    at_turn: 1,
    kept_from: keptFrom(plan, items.length),
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
  }
}
