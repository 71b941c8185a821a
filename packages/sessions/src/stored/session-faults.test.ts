import { describe, expect, it } from 'vitest'
import { chainEntries } from '../log/entry-chain.ts'
import { foldEntries } from '../log/fold-session.ts'
import { memorySessions } from '../log/memory-sessions.ts'
import { countersOf } from '../log/session-counters.ts'
import type { EntryBody, SessionEntry } from '../log/session-entry.ts'
import type { SessionStore, SessionSummary } from '../log/session-store.ts'
import { inventedLog } from './invented-log.test-data.ts'
import { sessionFaults } from './session-faults.ts'

/** What is found wrong with these entries, stored as they are. */
async function faultsOf(entries: readonly SessionEntry[], namespace?: string): Promise<readonly string[]> {
  const store = memorySessions().open()
  await store.append('one', entries, { counters: countersOf(foldEntries(entries).snapshot) })
  const faults = sessionFaults({ summary: await summaryOf(store, 'one'), entries, namespace })
  return faults.map(({ seq, what }) => `${seq ?? '-'}: ${what}`)
}

async function summaryOf(store: SessionStore, id: string): Promise<SessionSummary> {
  const summary = await store.find(id)
  if (summary === undefined) throw new Error(`Nothing is stored as ${id}.`)
  return summary
}

/** The same entries with one of them changed, and the chain closed over it again. */
function rechained(
  entries: readonly SessionEntry[],
  change: (entry: SessionEntry) => SessionEntry,
): readonly SessionEntry[] {
  const bodies = entries.map(change).map(({ seq: _, at: __, hash: ___, ...body }) => body as EntryBody)
  return chainEntries(bodies, { after: undefined, at: entries[0]?.at ?? 0 })
}

describe('a sound session', () => {
  it('has no fault, with its compaction, checkpoints, rewinds and forks', async () => {
    const entries = await inventedLog()
    expect(await faultsOf(entries)).toEqual([])
    const { snapshot, place } = foldEntries(entries)
    const later = [
      ...entries,
      ...chainEntries(
        [
          { type: 'checkpoint', state: snapshot },
          { type: 'rewound', to: 4 },
        ],
        { after: place, at: place.at },
      ),
    ]
    expect(await faultsOf(later)).toEqual([])
  })

  it('is checked in the namespace of its compactor', async () => {
    const entries = await inventedLog({ namespace: 'team' })
    expect(await faultsOf(entries, 'team')).toEqual([])
    expect(await faultsOf(entries)).toEqual([
      expect.stringMatching(/the key of the record is not that of the messages/),
    ])
  })

  it('whose results were not kept is not accused of other messages', async () => {
    const entries = await inventedLog({ namespace: 'elsewhere', toolResults: 'compact' })
    expect(await faultsOf(entries)).toEqual([])
  })
})

describe('what is wrong is told, with its entry', () => {
  it('an entry that was changed breaks the chain', async () => {
    const entries = (await inventedLog()).map((entry) =>
      entry.seq === 3 ? { ...entry, item: { role: 'user' } } : entry,
    )
    const faults = await faultsOf(entries as readonly SessionEntry[])
    expect(faults[0]).toMatch(/^3: Entry 3 is not what was written/)
  })

  it('a message that was changed and chained anew is not the one that was compacted', async () => {
    const item = { role: 'user', content: 'The port may be any.' }
    const entries = rechained(await inventedLog(), (entry) =>
      entry.type === 'message-appended' && entry.position === 0 ? { ...entry, item } : entry,
    )
    expect(await faultsOf(entries)).toEqual([expect.stringMatching(/^\d+: the key of the record is not/)])
  })

  it('a view that breaks the protocol', async () => {
    const entries = rechained(await inventedLog(), (entry) =>
      entry.type === 'compaction-applied'
        ? { ...entry, record: { ...entry.record, plan: { drop: [{ from: 1, to: 2 }] } } }
        : entry,
    )
    expect(await faultsOf(entries)).toContainEqual(
      expect.stringMatching(/^\d+: the view of the record breaks anthropic\//),
    )
  })

  it('a record of more messages than there were', async () => {
    const entries = rechained(await inventedLog(), (entry) =>
      entry.type === 'compaction-applied' ? { ...entry, record: { ...entry.record, length: 99 } } : entry,
    )
    expect(await faultsOf(entries)).toContainEqual(expect.stringMatching(/^\d+: the record speaks of 99 messages/))
  })

  it('a checkpoint that is not what was said', async () => {
    const entries = await inventedLog()
    const { snapshot, place } = foldEntries(entries)
    const wrong = chainEntries([{ type: 'checkpoint', state: { ...snapshot, turn: 7 } }], { after: place, at: 1 })
    expect(await faultsOf([...entries, ...wrong])).toEqual([
      `${entries.length + 1}: the checkpoint is not what the entries before it say`,
    ])
  })

  it('entries that contradict each other', async () => {
    const sound = memorySessions().open()
    await sound.append('one', await inventedLog())
    const entries = rechained(await inventedLog(), (entry) =>
      entry.type === 'message-appended' ? { ...entry, position: entry.position + 1 } : entry,
    )
    const faults = sessionFaults({ summary: await summaryOf(sound, 'one'), entries, namespace: undefined })
    expect(faults).toEqual([{ what: expect.stringMatching(/broken at entry 3/) }])
  })

  it('counters that nobody wrote', async () => {
    const store = memorySessions().open()
    const entries = await inventedLog()
    await store.append('one', entries, { counters: { compactions: 5 } })
    expect(sessionFaults({ summary: await summaryOf(store, 'one'), entries, namespace: undefined })).toEqual([
      { what: 'the store says compactions 5, and the entries say 1' },
      { what: 'the store says last input tokens unknown, and the entries say 4000' },
    ])
  })
})

it('a fork counts what it began with until a turn of its own ends', async () => {
  const store = memorySessions().open()
  await store.append('one', await inventedLog())
  await store.fork('one', 'two', { until: 6 })
  const entries = await store.read('two')
  expect(sessionFaults({ summary: await summaryOf(store, 'two'), entries, namespace: undefined })).toEqual([])
})
