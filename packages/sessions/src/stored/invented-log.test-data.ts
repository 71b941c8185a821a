import { createCompactor } from 'palimpsest'
import { memorySessions } from '../log/memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, userSays } from '../log/session.test-data.ts'
import { Session } from '../log/session.ts'
import type { SessionEntry, ToolResultsKept } from '../log/session-entry.ts'

/** 2026-01-14 09:00 in UTC. */
const START = Date.UTC(2026, 0, 14, 9)
const MODEL = 'claude-sonnet-4-5'
const FRAME = { model: MODEL, max_tokens: 1_000, system: 'You work on the harbour service.', messages: [] }

/** The log of a session of two turns with one compaction between them, as a compactor of that namespace made it. */
export async function inventedLog({
  namespace = 'default',
  toolResults = 'full',
}: {
  readonly namespace?: string
  readonly toolResults?: ToolResultsKept
} = {}): Promise<readonly SessionEntry[]> {
  const store = memorySessions().open()
  const started = { dialect: anthropic, model: MODEL, frame: FRAME, toolResults, now: () => START }
  const session = await Session.create(store, 'invented', started)
  await session.turn(async () => {
    session.appendItems([userSays('Count the berths of each quay. The port must stay 8443.'), ...steps(5)])
    session.appendItems([modelSays('I have written them.'), userSays('Now say which file to change first.')])
    recordUsage(session, 9_000)
  })
  await session.turn(async () => {
    await compact(session, namespace)
    session.appendItems([modelSays('The first one.')])
    recordUsage(session, 4_000)
  })
  return store.read('invented')
}

function steps(count: number): readonly object[] {
  return Array.from({ length: count }, (_, n) => [
    toolCall(`toolu_${n}`, { path: `quay-${n}.ts`, text: `berth ${n} holds ${n * 7} boats, quay ${n}\n`.repeat(80) }),
    toolResult(`toolu_${n}`, 'written'),
  ]).flat()
}

async function compact(session: Session, namespace: string): Promise<void> {
  const { toolResults } = session.snapshot.started
  const compactor = createCompactor<unknown>({ dialect: anthropic, window: 6_000, namespace, toolResults })
  const messages = await session.transcript()
  const { record } = await compactor.prepare({ ...FRAME, messages }, session.forCompactor)
  if (record === undefined) throw new Error('The invented conversation was not compacted.')
  session.applyCompaction(record)
}

function recordUsage(session: Session, input: number): void {
  session.recordUsage({ purpose: 'chat', usage: { input, cacheRead: 0, cacheWrite: 0, output: 120 } })
}
