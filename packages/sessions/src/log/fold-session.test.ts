import fc from 'fast-check'
import { jsonText } from 'palimpsest/engine'
import { describe, expect, it } from 'vitest'
import { arbitraryLog } from './arbitrary-log.ts'
import { chainEntries } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import type { EntryBody, SessionEntry } from './session-entry.ts'

const START: EntryBody = { type: 'session-started', dialect: 'gemini', toolResults: 'full', model: 'm' }

function logOf(...bodies: readonly EntryBody[]): readonly SessionEntry[] {
  return chainEntries(bodies, { after: undefined, at: 1 })
}

function say(position: number, item: unknown = `said ${position}`): EntryBody {
  return { type: 'message-appended', position, item }
}

describe('a fold', () => {
  it('in two steps is the fold of all, wherever the first one ends', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.nat(20), (log, cut) => {
        const first = foldEntries(log.slice(0, 1 + (cut % log.length)))
        const { seq } = first.place
        const rest = log.slice(seq)
        // a rewind to before the cut needs what came before it
        fc.pre(!rest.some((entry) => entry.type === 'rewound' && entry.to < seq) && rest.length > 0)
        const whole = foldEntries(log)
        const second = foldEntries(rest, first)
        expect(second.snapshot).toEqual(whole.snapshot)
        expect(second.place).toEqual(whole.place)
        const kept = whole.messages.filter((message) => message.seq > seq)
        expect(second.messages).toEqual(kept)
      }),
      { numRuns: 100 },
    )
  })

  it('has the messages that a list has from which rewinds take away', () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        const { snapshot, messages } = foldEntries(log)
        expect(jsonText(messages.map(({ item }) => item))).toBe(jsonText(naiveTranscript(log)))
        expect(messages.map(({ position }) => position)).toEqual(messages.map((_, position) => position))
        expect(snapshot.length).toBe(messages.length)
      }),
      { numRuns: 100 },
    )
  })

  it('counts usage that tells less than all as nothing more than it tells', () => {
    const usage = { input: 10, output: 2 } as never
    const { snapshot } = foldEntries(logOf(START, { type: 'usage-recorded', purpose: 'chat', usage }))
    expect(snapshot.usage.chat).toEqual({ calls: 1, input: 10, cacheRead: 0, cacheWrite: 0, output: 2 })
    expect(JSON.parse(jsonText(snapshot))).toEqual(snapshot)
  })

  it('keeps through a rewind what happened, and takes back what was said and shown to the model', () => {
    const usage = { input: 10, cacheRead: 4, cacheWrite: 3, output: 2 }
    const record = { ...RECORD, extent: 1, length: 1 }
    const log = logOf(
      START,
      { type: 'turn-started' },
      say(0),
      { type: 'compaction-applied', record },
      { type: 'usage-recorded', purpose: 'chat', usage, learned: { scale: 2 } },
      { type: 'action-requested', action: 'a', kind: 'tool', name: 'run' },
      { type: 'rewound', to: 1 },
      { type: 'turn-started' },
      say(0, 'said anew'),
    )
    const { snapshot, messages } = foldEntries(log)
    expect(snapshot).toEqual({
      started: START,
      length: 1,
      turn: 1,
      turnOpen: true,
      running: [],
      usage: {
        chat: { calls: 1, ...usage },
        summarize: { calls: 0, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
      },
      lastInputTokens: 10,
      compactions: 1,
      learned: { m: { scale: 2 } },
      abandoned: [{ from: 2, to: 7 }],
    })
    expect(messages.map(({ item }) => item)).toEqual(['said anew'])
  })

  it('takes a rewind back by a rewind', () => {
    const before = [START, say(0), say(1), { type: 'rewound', to: 2 }, say(1, 'other')] as const
    expect(foldEntries(logOf(...before)).messages.map(({ item }) => item)).toEqual(['said 0', 'other'])
    const again = foldEntries(logOf(...before, { type: 'rewound', to: 3 }, say(2)))
    expect(again.messages.map(({ item }) => item)).toEqual(['said 0', 'said 1', 'said 2'])
    expect(again.snapshot.abandoned).toEqual([{ from: 4, to: 6 }])
  })

  it('counts what it does not know, and passes over it', () => {
    const newer = { type: 'telepathy', of: 'a newer version' } as unknown as EntryBody
    const { snapshot, place } = foldEntries(logOf(START, newer, say(0)))
    expect(snapshot.length).toBe(1)
    expect(place.seq).toBe(3)
  })

  it.each<[string, readonly EntryBody[], number]>([
    ['no beginning', [{ type: 'turn-started' }], 1],
    ['two beginnings', [START, START], 2],
    ['a message at another position', [START, say(1)], 2],
    ['a turn in a turn', [START, { type: 'turn-started' }, { type: 'turn-started' }], 3],
    ['the end of no turn', [START, { type: 'turn-ended', outcome: 'answered' }], 2],
    ['the end of no action', [START, { type: 'action-completed', action: 'a', status: 'ok' }], 2],
    [
      'one action twice at once',
      [START, ...twice({ type: 'action-requested', action: 'a', kind: 'tool', name: 'n' })],
      3,
    ],
    ['a record of more than was said', [START, say(0), { type: 'compaction-applied', record: { ...recordOf(2) } }], 3],
    ['a rewind to what is to come', [START, { type: 'rewound', to: 2 }], 2],
    ['a rewind to nowhere', [START, { type: 'rewound', to: 0 }], 2],
  ])('names the entry at which a log is broken: %s', (_, bodies, seq) => {
    const broken = { code: 'invalid-input', message: expect.stringContaining(`at entry ${seq}:`) }
    expect(() => foldEntries(logOf(...bodies))).toThrow(expect.objectContaining(broken))
  })

  it('is refused of no entries, of a gap, and of a rewind to before what it starts from', () => {
    const log = logOf(START, say(0), say(1), { type: 'rewound', to: 2 })
    expect(() => foldEntries([])).toThrow(expect.objectContaining({ code: 'invalid-input' }))
    expect(() => foldEntries(log.toSpliced(1, 1))).toThrow(/entry 3: it stands where 2 belongs/)
    expect(() => foldEntries(log.slice(3), foldEntries(log.slice(0, 3)))).toThrow(/before the entries that are read/)
  })
})

function twice(value: EntryBody): readonly EntryBody[] {
  return [value, value]
}

const RECORD = {
  key: 'k',
  anchor: 'a',
  plan: { drop: [{ from: 0, to: 1 }] },
  strategy: 'toy',
  reason: 'manual',
  at_turn: 1,
  kept_from: 1,
  tokens_before: 2,
  tokens_after: 1,
} as const

function recordOf(extent: number) {
  return { ...RECORD, extent, length: extent }
}

/** The transcript after each entry, as a list of its own. */
function naiveTranscript(log: readonly SessionEntry[]): readonly unknown[] {
  const after: (readonly unknown[])[] = []
  for (const entry of log) {
    const before = after.at(-1) ?? []
    if (entry.type === 'message-appended') after.push([...before, entry.item])
    else if (entry.type === 'rewound') after.push(after[entry.to - 1] ?? [])
    else after.push(before)
  }
  return after.at(-1) ?? []
}
