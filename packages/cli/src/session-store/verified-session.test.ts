import { chainEntries, foldEntries, memorySessions, type SessionEntry } from '@palimpsest/sessions'
import { describe, expect, it } from 'vitest'
import { entriesOf, inventedEntries, storeEntries } from './invented-session.test-data.ts'
import { sessionFaults } from './verified-session.ts'

/** What is found wrong with these entries, stored as they are. */
async function faultsOf(entries: readonly SessionEntry[], namespace?: string): Promise<readonly string[]> {
  const store = memorySessions().open()
  await storeEntries(store, 'one', entries)
  const summary = await store.find('one')
  if (summary === undefined) throw new Error('Nothing was stored.')
  return sessionFaults({ summary, entries, namespace }).map(({ seq, what }) => `${seq ?? '-'}: ${what}`)
}

/** The same entries with one of them changed, and the chain closed over it again. */
function rechained(
  entries: readonly SessionEntry[],
  change: (entry: SessionEntry) => SessionEntry,
): readonly SessionEntry[] {
  return entriesOf(entries.map(change).map(({ seq: _, at: __, hash: ___, ...body }) => body as never))
}

describe('a sound session', () => {
  it('has no fault, with its compaction, checkpoints, rewinds and forks', async () => {
    const entries = inventedEntries()
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
    const entries = inventedEntries({ namespace: 'team' })
    expect(await faultsOf(entries, 'team')).toEqual([])
    expect(await faultsOf(entries)).toEqual([
      expect.stringMatching(/the key of the record is not that of the messages/),
    ])
  })

  it('whose results were not kept is not accused of other messages', async () => {
    const entries = inventedEntries({ namespace: 'elsewhere', started: { toolResults: 'compact' } })
    expect(await faultsOf(entries)).toEqual([])
  })
})

describe('what is wrong is told, with its entry', () => {
  it('an entry that was changed breaks the chain', async () => {
    const entries = inventedEntries().map((entry) => (entry.seq === 3 ? { ...entry, item: { role: 'user' } } : entry))
    const faults = await faultsOf(entries as readonly SessionEntry[])
    expect(faults[0]).toMatch(/^3: Entry 3 is not what was written/)
  })

  it('a message that was changed and chained anew is not the one that was compacted', async () => {
    const item = { role: 'user', content: 'The port may be any.' }
    const entries = rechained(inventedEntries(), (entry) =>
      entry.type === 'message-appended' && entry.position === 0 ? { ...entry, item } : entry,
    )
    expect(await faultsOf(entries)).toEqual([expect.stringMatching(/^\d+: the key of the record is not/)])
  })

  it('a view that breaks the protocol', async () => {
    const entries = rechained(inventedEntries(), (entry) =>
      entry.type === 'compaction-applied'
        ? { ...entry, record: { ...entry.record, plan: { drop: [{ from: 1, to: 2 }] } } }
        : entry,
    )
    expect(await faultsOf(entries)).toContainEqual(
      expect.stringMatching(/^\d+: the view of the record breaks anthropic\//),
    )
  })

  it('a record of more messages than there were', async () => {
    const entries = rechained(inventedEntries(), (entry) =>
      entry.type === 'compaction-applied' ? { ...entry, record: { ...entry.record, length: 99 } } : entry,
    )
    expect(await faultsOf(entries)).toEqual([expect.stringMatching(/^\d+: the record speaks of 99 messages/)])
  })

  it('a checkpoint that is not what was said', async () => {
    const entries = inventedEntries()
    const { snapshot, place } = foldEntries(entries)
    const wrong = chainEntries([{ type: 'checkpoint', state: { ...snapshot, turn: 7 } }], { after: place, at: 1 })
    expect(await faultsOf([...entries, ...wrong])).toEqual([
      `${entries.length + 1}: the checkpoint is not what the entries before it say`,
    ])
  })

  it('entries that contradict each other', async () => {
    const faults = sessionFaults({
      summary: {} as never,
      entries: rechained(inventedEntries(), (entry) =>
        entry.type === 'message-appended' ? { ...entry, position: entry.position + 1 } : entry,
      ),
      namespace: undefined,
    })
    expect(faults).toEqual([{ what: expect.stringMatching(/broken at entry 3/) }])
  })

  it('counters that nobody wrote', async () => {
    const store = memorySessions().open()
    const entries = inventedEntries()
    await store.append('one', entries, { counters: { compactions: 5 } })
    const summary = await store.find('one')
    expect(sessionFaults({ summary: summary as never, entries, namespace: undefined })).toEqual([
      { what: 'the store says compactions 5, and the entries say 1' },
      { what: 'the store says last input tokens unknown, and the entries say 4000' },
    ])
  })
})

it('a fork has the counters of its origin until a turn of its own ends', async () => {
  const store = memorySessions().open()
  await storeEntries(store, 'one', inventedEntries())
  await store.fork('one', 'two', { until: 6 })
  const summary = await store.find('two')
  const entries = await store.read('two')
  expect(sessionFaults({ summary: summary as never, entries, namespace: undefined })).toEqual([])
})
