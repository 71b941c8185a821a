import fc from 'fast-check'
import type { PalimpsestError } from 'palimpsest'
import { canonicalJson, jsonText } from 'palimpsest/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arbitraryId, arbitraryJson, arbitraryLog } from './arbitrary-log.ts'
import { chainEntries, verifyChain } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import { countersOf } from './session-counters.ts'
import type { EntryBody, EntryPlace, SessionEntry } from './session-entry.ts'
import type { SessionStore, StoredMessage } from './session-store.ts'

/** Something that session logs are kept in: a database, the memory of a process. */
export interface SessionStorage {
  /** Another handle on the same storage, as another process would have it. */
  open(namespace?: string): SessionStore
  /** Lets go of what the storage holds, after each run. */
  close?(): Promise<void>
}

/** How thoroughly the laws are tried. */
export interface SessionLawOptions {
  /** Runs of each law. Default 50. */
  readonly runs?: number
}

/**
 * The laws of every session store, as tests of vitest. `open` gives a new, empty storage.
 *
 * @example sessionStoreLaws('in memory', async () => memorySessions())
 */
export function sessionStoreLaws(
  name: string,
  open: () => Promise<SessionStorage>,
  { runs = 50 }: SessionLawOptions = {},
): void {
  describe(`laws of session stores: ${name}`, () => {
    const bench = new Bench()
    beforeAll(async () => bench.start(await open()))
    afterAll(() => bench.stop())
    const always: Always = (law, arbitrary, hold) =>
      it(law, () => fc.assert(fc.asyncProperty(arbitrary, hold), { numRuns: runs }))
    describe('entries', () => entryLaws(bench, always))
    describe('what is refused', () => refusalLaws(bench, always))
    describe('many at once', () => raceLaws(bench, always))
    describe('what is read of a log', () => readingLaws(bench, always))
    describe('summaries', () => summaryLaws(bench, always))
    describe('copies and removal', () => copyLaws(bench, always))
    describe('alone', () => aloneLaws(bench, always))
    describe('a call whose signal is aborted', () => abortLaws(bench))
  })
}

type Always = <Case>(law: string, arbitrary: fc.Arbitrary<Case>, hold: (one: Case) => Promise<void>) => void

/** One storage for all runs of a suite, two handles on it, and names that no run shares with another. */
class Bench {
  #storage: SessionStorage | undefined
  #handles: readonly [SessionStore, SessionStore] | undefined
  #names = 0

  start(storage: SessionStorage): void {
    this.#storage = storage
    this.#handles = [storage.open('laws'), storage.open('laws')]
  }

  async stop(): Promise<void> {
    await this.#storage?.close?.()
  }

  get handles(): readonly [SessionStore, SessionStore] {
    if (this.#handles === undefined) throw new TypeError('The storage is not open yet.')
    return this.#handles
  }

  of(namespace: string): SessionStore {
    if (this.#storage === undefined) throw new TypeError('The storage is not open yet.')
    return this.#storage.open(namespace)
  }

  /** A name that was not used before, which still begins with a hostile one. */
  name(id = ''): string {
    this.#names += 1
    return `${id}${this.#names}`
  }

  /** A session of these entries. */
  async stored(entries: readonly SessionEntry[], id = ''): Promise<string> {
    const session = this.name(id)
    await this.handles[0].append(session, entries)
    return session
  }
}

function entryLaws(bench: Bench, always: Always): void {
  const appended = fc.record({ log: arbitraryLog, id: arbitraryId, batch: fc.integer({ min: 1, max: 9 }) })

  always('come back as they were, to the order of their keys, for every handle', appended, async (one) => {
    const session = bench.name(one.id)
    for (let from = 0; from < one.log.length; from += one.batch) {
      const store = bench.handles[(from / one.batch) % 2 === 0 ? 0 : 1]
      await store.append(session, one.log.slice(from, from + one.batch))
      const other = bench.handles[(from / one.batch) % 2 === 0 ? 1 : 0]
      expect(await other.head(session)).toEqual(placeOf(one.log[Math.min(from + one.batch, one.log.length) - 1]))
    }
    for (const store of bench.handles) expectSame(await store.read(session), one.log)
  })

  const ranges = fc.tuple(arbitraryLog, fc.nat(30), fc.nat(30))
  always('can be read from any one to any other', ranges, async ([log, from, to]) => {
    const session = await bench.stored(log)
    const [store] = bench.handles
    expectSame(await store.read(session, { from, to }), within(log, from, to))
    expectSame(await store.read(session, { from }), within(log, from, 99))
    expectSame(await store.read(session, { to }), within(log, 0, to))
  })

  const windows = fc.tuple(arbitraryLog, fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 4 }))
  always('appended again change nothing, and what follows them is added', windows, async ([log, again]) => {
    const session = bench.name()
    let stored = 0
    for (const [from, count] of [...again, [0, log.length] as const]) {
      const entries = log.slice(Math.min(from, stored), Math.min(from, stored) + count)
      await bench.handles[from % 2 === 0 ? 0 : 1].append(session, entries)
      stored = Math.max(stored, Math.min(from, stored) + entries.length)
      expectSame(await bench.handles[0].read(session), log.slice(0, stored))
    }
  })

  it('are many in one call, or one as deep as JSON can be', async () => {
    const many = Array.from(
      { length: 3_000 },
      (_, n): EntryBody => ({ type: 'display-segment', role: 'notice', text: `${n}` }),
    )
    const deep: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    const log = chainEntries([START, ...many, message(0, { deep })], { after: undefined, at: 1 })
    const session = await bench.stored(log)
    expectSame(await bench.handles[1].read(session), log)
  })

  it('are none where there is no such session', async () => {
    const [store] = bench.handles
    const session = bench.name()
    await store.append(session, [])
    expect(await store.read(session)).toEqual([])
    expect(await store.head(session)).toBeUndefined()
    expect(await store.find(session)).toBeUndefined()
    expect(await store.checkpoint(session)).toBeUndefined()
    expect(await store.messages(session, { positions: [{ from: 0, to: 9 }], until: 9, abandoned: [] })).toEqual([])
  })
}

function refusalLaws(bench: Bench, always: Always): void {
  const places = fc.tuple(arbitraryLog, fc.nat(20), fc.integer({ min: 1, max: 4 }))

  always(
    'is another entry at a place that is taken, with all that comes with it',
    places,
    async ([log, place, more]) => {
      const session = await bench.stored(log)
      const from = Math.min(place, log.length - 1)
      const others = chainEntries(
        Array.from({ length: log.length - from + more }, () => ({ type: 'turn-started' as const })),
        { after: log[from - 1], at: 1 },
      )
      for (const store of bench.handles) {
        await expect(store.append(session, others)).rejects.toMatchObject(CONFLICT)
        await expect(store.append(session, [...log.slice(0, from), ...others])).rejects.toMatchObject(CONFLICT)
      }
      expectSame(await bench.handles[0].read(session), log)
      expect(await bench.handles[1].find(session)).toMatchObject({ entries: log.length, compactions: 0 })
    },
  )

  always('is an entry that does not follow the last one', places, async ([log, place, gap]) => {
    const stored = Math.min(place, log.length - 1)
    const session = stored === 0 ? bench.name() : await bench.stored(log.slice(0, stored))
    const further = chainEntries([{ type: 'turn-started' }], {
      after: { seq: log.length + gap, at: 1, hash: 'f'.repeat(64) },
      at: 1,
    })
    const [store] = bench.handles
    await expect(store.append(session, further)).rejects.toMatchObject(CONFLICT)
    await expect(store.append(session, [...log.slice(stored), ...further])).rejects.toMatchObject(CONFLICT)
    expectSame(await store.read(session), log.slice(0, stored))
    expect((await store.find(session)) === undefined).toBe(stored === 0)
  })

  always('is what comes after an entry that does not stand there', places, async ([log, place, more]) => {
    const at = Math.min(place, log.length - 1)
    const session = await bench.stored(log.slice(0, at + 1))
    const [store] = bench.handles
    const rest = log.slice(at + 1)
    for (const after of [
      { seq: at + 1, hash: 'f'.repeat(64) },
      { seq: at + 1 + more, hash: log[at]?.hash ?? '' },
    ]) {
      await expect(store.append(session, rest, { after })).rejects.toMatchObject(CONFLICT)
    }
    await expect(store.append(bench.name(), log, { after: { seq: 1, hash: '' } })).rejects.toMatchObject(CONFLICT)
    expectSame(await store.read(session), log.slice(0, at + 1))
    const after = log[at]
    await store.append(session, rest, after === undefined ? {} : { after })
    await store.append(session, rest, after === undefined ? {} : { after })
    expectSame(await store.read(session), log)
  })

  it('is a session that does not begin as one', async () => {
    const [store] = bench.handles
    const session = bench.name()
    const entries = chainEntries([{ type: 'turn-started' }], { after: undefined, at: 1 })
    await expect(store.append(session, entries)).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await store.find(session)).toBeUndefined()
  })
}

function raceLaws(bench: Bench, always: Always): void {
  const writers = fc.array(fc.array(arbitraryJson, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 })

  always('one wins a place, and all that try again are stored once', writers, async (items) => {
    const session = await bench.stored(chainEntries([START], { after: undefined, at: 1 }))
    const writes = items.map(async (own, writer) => {
      const store = bench.handles[writer % 2 === 0 ? 0 : 1]
      for (const item of own) await appendInTheEnd(store, session, { writer, item })
    })
    await Promise.all(writes)
    const log = await bench.handles[0].read(session)
    expect(verifyChain(log)).toBeUndefined()
    const stored = foldEntries(log).messages.map((entry) => entry.item as { writer: number; item: unknown })
    items.forEach((own, writer) => {
      const written = stored.filter((one) => one.writer === writer).map(({ item }) => jsonText(item))
      expect(written).toEqual(own.map((item) => jsonText(item)))
    })
  })

  always('of different entries for one place exactly one is taken', fc.integer({ min: 2, max: 6 }), async (count) => {
    const [start] = chainEntries([START], { after: undefined, at: 1 })
    const session = await bench.stored(start === undefined ? [] : [start])
    const rivals = Array.from({ length: count }, (_, n) => chainEntries([message(0, n)], { after: start, at: n }))
    const outcomes = await Promise.allSettled(
      rivals.map((rival, n) => bench.handles[n % 2 === 0 ? 0 : 1].append(session, rival)),
    )
    const won = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? (rivals[n] ?? []) : []))
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(CONFLICT)
    expect(won).toHaveLength(1)
    expectSame(await bench.handles[0].read(session), [...(start === undefined ? [] : [start]), ...won])
  })

  always('one entry that many append is stored once, and all are told so', arbitraryLog, async (log) => {
    const session = bench.name()
    await Promise.all([0, 1, 0, 1].map((handle) => bench.handles[handle === 0 ? 0 : 1].append(session, log)))
    expectSame(await bench.handles[1].read(session), log)
  })
}

/** Appends a message behind what stands there, as often as somebody else was faster. */
async function appendInTheEnd(store: SessionStore, session: string, item: unknown): Promise<void> {
  for (;;) {
    const log = await store.read(session)
    const entries = chainEntries([message(foldEntries(log).snapshot.length, item)], { after: log.at(-1), at: 1 })
    try {
      return await store.append(session, entries)
    } catch (error) {
      if ((error as Partial<PalimpsestError>).code !== 'conflict') throw error
    }
  }
}

function readingLaws(bench: Bench, always: Always): void {
  always('the newest checkpoint before any entry', arbitraryLog, async (log) => {
    const session = await bench.stored(log)
    const [store] = bench.handles
    expect(jsonText(await store.checkpoint(session))).toBe(jsonText(checkpointBefore(log, log.length + 1)))
    const places = log.flatMap(({ seq, type }) => (type === 'checkpoint' ? [seq, seq + 1] : []))
    for (const before of [0, 1, ...places, log.length + 9]) {
      expect(jsonText(await store.checkpoint(session, { before }))).toBe(jsonText(checkpointBefore(log, before)))
    }
  })

  always('reading on from the newest checkpoint gives what reading all gives', arbitraryLog, async (log) => {
    const session = await bench.stored(log)
    const store = bench.handles[1]
    const checkpoint = await store.checkpoint(session)
    const rest = await store.read(session, { from: (checkpoint?.seq ?? 0) + 1 })
    const start = checkpoint === undefined ? undefined : { snapshot: checkpoint.state, place: checkpoint }
    const { snapshot, place } = start !== undefined && rest.length === 0 ? start : foldEntries(rest, start)
    const whole = foldEntries(log)
    expect(place.hash).toBe(whole.place.hash)
    expect(canonicalJson(snapshot)).toBe(canonicalJson(whole.snapshot))
  })

  const wanted = fc.tuple(arbitraryLog, fc.nat(30), fc.array(fc.tuple(fc.nat(12), fc.nat(6)), { maxLength: 3 }))
  always('messages of any positions, of the way to any entry', wanted, async ([log, until, asked]) => {
    const session = await bench.stored(log)
    const positions = asked.map(([from, count]) => ({ from, to: from + count }))
    for (const end of [Math.max(2, Math.min(until, log.length + 1)), log.length + 1]) {
      const { snapshot, messages } = foldEntries(log.slice(0, end - 1))
      const expected = messages
        .filter(({ position }) => positions.some(({ from, to }) => from <= position && position < to))
        .map(({ position, item, injected }): StoredMessage => ({ position, item, ...(injected && { injected }) }))
      const { abandoned } = snapshot
      const found = await bench.handles[0].messages(session, { positions, until: end, abandoned })
      expect(found.map(exactly)).toEqual(expected.map(exactly))
    }
  })
}

function checkpointBefore(log: readonly SessionEntry[], before: number) {
  const entry = log.findLast(({ seq, type }) => type === 'checkpoint' && seq < before)
  return entry?.type === 'checkpoint' ? { ...placeOf(entry), state: entry.state } : undefined
}

function summaryLaws(bench: Bench, always: Always): void {
  const counters = fc.option(fc.record({ lastInputTokens: fc.nat(), compactions: fc.nat(99) }), { nil: undefined })

  always('tell a session as its entries do', fc.tuple(arbitraryLog, arbitraryId), async ([log, id]) => {
    const session = await bench.stored(log, id)
    const summary = expectedSummary(session, log)
    for (const store of bench.handles) expect(exactly(await store.find(session))).toBe(exactly(summary))
  })

  always(
    'have the counters of the last append that gave some, and of no other',
    fc.tuple(arbitraryLog, fc.array(counters, { maxLength: 5 })),
    async ([log, given]) => {
      const [one, two] = bench.handles
      const session = bench.name()
      let expected: object = { compactions: 0 }
      for (const [index, entry] of log.entries()) {
        const own = given[index]
        await one.append(session, [entry], own === undefined ? {} : { counters: own })
        expected = own ?? expected
        expect(exactly(await two.find(session))).toBe(
          exactly({ ...expectedSummary(session, log.slice(0, index + 1)), ...expected }),
        )
      }
    },
  )

  it('keep the counters of others when a call is made again that was not confirmed', async () => {
    const [one, two] = bench.handles
    const session = bench.name()
    const begun = chainEntries([START, SAID], { after: undefined, at: 1 })
    await one.append(session, begun, { counters: { lastInputTokens: 1, compactions: 1 } })
    const more = chainEntries([{ type: 'turn-started' }], { after: begun.at(-1), at: 2 })
    await two.append(session, more, { counters: { lastInputTokens: 2, compactions: 2 } })
    await one.append(session, begun, { counters: { lastInputTokens: 1, compactions: 1 } })
    expect(await two.find(session)).toMatchObject({ entries: 3, lastInputTokens: 2, compactions: 2 })
  })

  const several = fc.array(fc.tuple(arbitraryLog, arbitraryId), { minLength: 1, maxLength: 5 })
  always('are listed by their last entry, newest first, by folder, up to a limit', several, async (sessions) => {
    const store = bench.of(bench.name('list'))
    expect(await store.list()).toEqual([])
    const expected = new Map<string, string>()
    const folders = new Set<string>()
    for (const [log, name] of sessions) {
      const id = bench.name(name)
      await store.append(id, log)
      expected.set(id, exactly(expectedSummary(id, log)))
      if (log[0]?.type === 'session-started' && log[0].cwd !== undefined) folders.add(log[0].cwd)
    }
    const all = await store.list()
    expect(all.map(exactly).sort()).toEqual([...expected.values()].sort())
    expect(all.map(({ updatedAt }) => updatedAt)).toEqual(all.map(({ updatedAt }) => updatedAt).sort((a, b) => b - a))
    expect((await store.list({ limit: 2 })).map(exactly)).toEqual(all.slice(0, 2).map(exactly))
    for (const cwd of folders) {
      expect((await store.list({ cwd })).map(exactly)).toEqual(all.filter((one) => one.cwd === cwd).map(exactly))
    }
  })
}

function expectedSummary(id: string, log: readonly SessionEntry[]) {
  const { started, length } = foldEntries(log).snapshot
  const { type: _, frame: __, imported: ___, ...told } = started
  return {
    id,
    ...told,
    createdAt: log[0]?.at,
    updatedAt: log.at(-1)?.at,
    entries: log.length,
    messages: length,
    compactions: 0,
  }
}

function copyLaws(bench: Bench, always: Always): void {
  const forks = fc.tuple(arbitraryLog, arbitraryId, fc.option(fc.integer({ min: 2, max: 30 }), { nil: undefined }))

  always('a fork has the entries of its origin, and goes its own way', forks, async ([log, id, until]) => {
    const [one, two] = bench.handles
    const origin = await bench.stored(log)
    const fork = bench.name(id)
    await one.fork(origin, fork, until === undefined ? {} : { until })
    const copied = log.slice(0, (until ?? log.length + 1) - 1)
    expectSame(await two.read(fork), copied)
    const forked = { from: origin, until: copied.length + 1 }
    const counted = countersOf(foldEntries(copied).snapshot)
    expect(await two.find(fork)).toEqual({ ...expectedSummary(fork, copied), ...counted, forked })
    const own = chainEntries([SAID], { after: copied.at(-1), at: 1 })
    await two.append(fork, own)
    expectSame(await one.read(origin), log)
    expectSame(await one.read(fork), [...copied, ...own])
    expect(jsonText(await one.checkpoint(fork))).toBe(jsonText(checkpointBefore(copied, 99)))
    expect(await one.remove(origin)).toBe(true)
    expectSame(await one.read(fork), [...copied, ...own])
  })

  it('a fork refuses what it cannot be', async () => {
    const [store] = bench.handles
    const log = chainEntries([START, SAID], { after: undefined, at: 1 })
    const [origin, fork] = [bench.name(), bench.name()]
    await store.append(origin, log)
    await store.fork(origin, fork)
    await expect(store.fork(origin, fork)).rejects.toMatchObject(CONFLICT)
    await expect(store.fork(origin, origin)).rejects.toMatchObject(CONFLICT)
    await expect(store.fork(bench.name(), bench.name())).rejects.toMatchObject({ code: 'not-found' })
    await expect(store.fork(origin, bench.name(), { until: 1 })).rejects.toThrow(RangeError)
  })

  always('what was removed is gone, and can begin anew', fc.tuple(arbitraryLog, arbitraryId), async ([log, id]) => {
    const [one, two] = bench.handles
    const session = bench.name(id)
    await one.append(session, log, { counters: { lastInputTokens: 7, compactions: 3 } })
    expect(await two.remove(session)).toBe(true)
    expect(await one.remove(session)).toBe(false)
    expect(await one.find(session)).toBeUndefined()
    expect(await one.read(session)).toEqual([])
    expect(await one.checkpoint(session)).toBeUndefined()
    const first = log.slice(0, 1)
    await two.append(session, first)
    expectSame(await one.read(session), first)
    expect(exactly(await one.find(session))).toBe(exactly(expectedSummary(session, first)))
  })

  const pair = fc.tuple(arbitraryId, arbitraryId).filter(([a, b]) => a !== b)
  always('sessions of one namespace are not those of another', fc.tuple(arbitraryLog, pair), async ([log, [a, b]]) => {
    const common = bench.name()
    const [mine, other] = [bench.of(a + common), bench.of(b + common)]
    await mine.append(a, log)
    expect(await other.find(a)).toBeUndefined()
    expect(await other.list()).toEqual([])
    expect(await other.read(a)).toEqual([])
    expect(await other.remove(a)).toBe(false)
    await expect(other.fork(a, b)).rejects.toMatchObject({ code: 'not-found' })
    await other.append(a, log.slice(0, 1))
    expectSame(await mine.read(a), log)
    expect((await mine.list()).map(({ id }) => id)).toEqual([a])
  })
}

function aloneLaws(bench: Bench, always: Always): void {
  always('one at a time, and every one', fc.tuple(arbitraryId, fc.integer({ min: 2, max: 6 })), async ([id, count]) => {
    const name = bench.name(id)
    let inside = 0
    const results = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        bench.handles[n % 2 === 0 ? 0 : 1].alone(name, async () => {
          inside += 1
          await bench.handles[0].head(name)
          expect(inside).toBe(1)
          inside -= 1
          return n
        }),
      ),
    )
    expect(results).toEqual(Array.from({ length: count }, (_, n) => n))
  })

  it('lets go when what runs fails', async () => {
    const [one, two] = bench.handles
    const name = bench.name()
    const fault = new Error('it failed')
    await expect(one.alone(name, () => Promise.reject(fault))).rejects.toBe(fault)
    expect(await two.alone(name, async () => 'next')).toBe('next')
  })

  it('gives up waiting when its signal is aborted, and lets the next one in', async () => {
    const [one, two] = bench.handles
    const name = bench.name()
    const held = gate()
    const entered = gate()
    const holder = one.alone(name, async () => {
      entered.open()
      await held.opened
    })
    await entered.opened
    const reason = new Error('the turn was cancelled')
    const controller = new AbortController()
    let ran = false
    const waiter = two.alone(name, async () => (ran = true), { signal: controller.signal })
    const gone = expect(waiter).rejects.toBe(reason)
    controller.abort(reason)
    await gone
    const next = two.alone(name, async () => 'next')
    held.open()
    await holder
    expect(await next).toBe('next')
    expect(ran).toBe(false)
  })

  it('different names, and one name in different namespaces, do not wait for each other', async () => {
    const [one, two] = bench.handles
    const name = bench.name()
    const other = bench.of(bench.name('other'))
    const inside = await one.alone(name, () =>
      Promise.all([two.alone(bench.name(), async () => 1), other.alone(name, async () => 2)]),
    )
    expect(inside).toEqual([1, 2])
  })
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

function abortLaws(bench: Bench): void {
  it('rejects with the reason of the signal, and writes nothing', async () => {
    const [store] = bench.handles
    const reason = new Error('the turn was cancelled')
    const signal = AbortSignal.abort(reason)
    const log = chainEntries([START, SAID], { after: undefined, at: 1 })
    const session = await bench.stored(log)
    const [other, fork] = [bench.name(), bench.name()]
    let ran = false
    const calls = [
      () => store.append(other, log, { signal }),
      () => store.append(session, log, { signal, counters: { compactions: 9 } }),
      () => store.find(session, { signal }),
      () => store.list({ signal }),
      () => store.read(session, { signal }),
      () => store.head(session, { signal }),
      () => store.checkpoint(session, { signal }),
      () => store.messages(session, { positions: [], until: 9, abandoned: [], signal }),
      () => store.fork(session, fork, { signal }),
      () => store.remove(session, { signal }),
      () => store.alone(session, async () => (ran = true), { signal }),
    ]
    for (const call of calls) await expect(call()).rejects.toBe(reason)
    expect(ran).toBe(false)
    expect(await store.find(other)).toBeUndefined()
    expect(await store.find(fork)).toBeUndefined()
    expect(await store.find(session)).toMatchObject({ compactions: 0, entries: 2 })
  })
}

const CONFLICT = { code: 'conflict' }
const START: EntryBody = { type: 'session-started', dialect: 'anthropic-messages', toolResults: 'full' }
const SAID: EntryBody = { type: 'display-segment', role: 'notice', text: 'said' }

function message(position: number, item: unknown): EntryBody {
  return { type: 'message-appended', position, item }
}

function within(log: readonly SessionEntry[], from: number, to: number): readonly SessionEntry[] {
  return log.filter(({ seq }) => from <= seq && seq < to)
}

function placeOf(entry: EntryPlace | undefined): EntryPlace | undefined {
  return entry === undefined ? undefined : { seq: entry.seq, at: entry.at, hash: entry.hash }
}

function expectSame(entries: readonly SessionEntry[], expected: readonly SessionEntry[]): void {
  expect(entries.map(exactly)).toEqual(expected.map(exactly))
}

/** All of it, to the order of keys inside of its fields; only the order of the fields themselves is free. */
function exactly(value: object | undefined): string {
  if (value === undefined) return 'undefined'
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return jsonText(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
}
