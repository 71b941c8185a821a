import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import type { HistoryEntry } from './history-entry.ts'
import { entryMark, historyEntries, historyText } from './history-text.ts'
import type { LimitScope, StoreCall, Stores } from './ports.ts'
import { messagesOf } from './read-history.ts'
import { searchHistory } from './search-history.ts'
import { entry, toyRecord } from './store-examples.ts'

/** Something that stores can be opened on: a folder, a database, the memory of a process. */
export interface Storage {
  /** Another handle on the same storage, as another process would have it. */
  connect(): Stores
  /** Lets go of what the storage holds, after each run. */
  close?(): Promise<void>
}

/** How thoroughly the laws are tried. */
export interface LawOptions {
  /** Runs of each law. Default 100. */
  readonly runs?: number
}

/**
 * The laws of all stores, as tests of Vitest, for whoever writes stores of another kind. `open` gives a new, empty storage
 * whose stores take the time, in milliseconds since the epoch, from `now`.
 *
 * @example
 * storeLaws('in memory', async (now) => {
 *   const stores = memoryStores({ now })
 *   return { connect: () => stores }
 * })
 */
export function storeLaws(
  name: string,
  open: (now: () => number) => Promise<Storage>,
  { runs = 100 }: LawOptions = {},
): void {
  describe(`laws of stores: ${name}`, () => {
    const bench = new Bench()
    beforeAll(async () => bench.start(await open(() => bench.time)))
    afterAll(() => bench.stop())
    const always: Always = (law, arbitrary, hold, whyNot) =>
      it(law, ({ skip }) => {
        const reason = whyNot?.()
        if (reason !== undefined) skip(reason)
        return fc.assert(fc.asyncProperty(arbitrary, hold), { numRuns: runs })
      })
    describe('records', () => recordLaws(bench, always))
    describe('what runs alone', () => aloneLaws(bench, always))
    describe('artifacts', () => artifactLaws(bench, always))
    describe('histories', () => historyLaws(bench, always))
    describe('searches of histories', () => searchLaws(bench, always))
    describe('limits', () => limitLaws(bench, always))
    describe('a call whose signal is aborted', () => abortLaws(bench))
  })
}

type Always = <Case>(
  law: string,
  arbitrary: fc.Arbitrary<Case>,
  hold: (one: Case) => Promise<void>,
  /** Why the law does not apply to this kind of store; undefined where it does. */
  whyNot?: () => string | undefined,
) => void

/** One storage for all runs of a suite, two handles on it, a clock, and names that no run shares with another. */
class Bench {
  time = 1_700_000_000_000
  #storage: Storage | undefined
  #handles: readonly [Stores, Stores] | undefined
  #names = 0

  start(storage: Storage): void {
    this.#storage = storage
    this.#handles = [storage.connect(), storage.connect()]
  }

  async stop(): Promise<void> {
    await this.#storage?.close?.()
  }

  get handles(): readonly [Stores, Stores] {
    if (this.#handles === undefined) throw new TypeError('The storage is not open yet.')
    return this.#handles
  }

  /** A name that was not used before, which still begins with a hostile one. */
  name(id = ''): string {
    this.#names += 1
    return `${id}${this.#names}`
  }
}

function recordLaws(bench: Bench, always: Always): void {
  always(
    'come back as they were, in the order of their commits, one for each key',
    arbitraryRecords,
    async (records) => {
      const [one, two] = bench.handles
      const root = bench.name()
      const firsts = new Map<string, CompactionRecord>()
      for (const [index, record] of records.entries()) {
        const first = firsts.get(record.key) ?? record
        firsts.set(record.key, first)
        expect(await (index % 2 === 0 ? one : two).records.commit(root, record)).toEqual(first)
      }
      expect(await one.records.list(root)).toEqual([...firsts.values()])
      expect(await two.records.list(root)).toEqual([...firsts.values()])
    },
  )

  always('the first wins, for everybody, where many commit at once', arbitraryRecords, async (records) => {
    const root = bench.name()
    const commits = records.flatMap((record) =>
      bench.handles.map((stores, at) => ({ stores, record: { ...record, at_turn: at } })),
    )
    const given = await Promise.all(commits.map(({ stores, record }) => stores.records.commit(root, record)))
    const [one, two] = await Promise.all(bench.handles.map((stores) => stores.records.list(root)))
    expect(one).toEqual(two)
    expect(one?.map((record) => record.key).sort()).toEqual([...new Set(records.map(({ key }) => key))].sort())
    const kept = new Map(one?.map((record) => [record.key, record]))
    for (const record of given) expect(record).toEqual(kept.get(record.key))
    for (const record of kept.values()) expect(commits.map((commit) => commit.record)).toContainEqual(record)
  })

  always('of one root are not those of another', arbitraryPair, async ([a, b]) => {
    const [one, two] = bench.handles
    const common = bench.name()
    await one.records.commit(a + common, toyRecord('k', 'a'))
    expect(await two.records.list(b + common)).toEqual([])
    await two.records.commit(b + common, toyRecord('k', 'b'))
    expect(await one.records.list(a + common)).toEqual([toyRecord('k', 'a')])
    expect(await one.records.list(b + common)).toEqual([toyRecord('k', 'b')])
  })
}

function aloneLaws(bench: Bench, always: Always): void {
  const fates = fc.array(fc.constantFrom('done', 'failed', 'left'), { minLength: 1, maxLength: 6 })

  always('is one at a time of all that ask for a root, however each ends', fates, async (all) => {
    const root = bench.name()
    const seen = { running: 0, most: 0, begun: [] as number[] }
    const failure = new Error('what ran has failed')
    const reason = new Error('the turn was cancelled')
    const asked = all.map(async (fate, index) => {
      const controller = new AbortController()
      const run = async () => {
        seen.begun.push(index)
        seen.most = Math.max(seen.most, ++seen.running)
        await bench.handles[0].records.list(root)
        seen.running--
        if (fate === 'failed') throw failure
        return index
      }
      const { records } = bench.handles[index % 2 === 0 ? 0 : 1]
      const result = records.alone(root, run, { signal: controller.signal })
      // the first may have begun already; the others wait at least for it
      if (fate === 'left' && index > 0) controller.abort(reason)
      if (fate === 'failed') await expect(result).rejects.toBe(failure)
      else if (fate === 'left' && index > 0) await expect(result).rejects.toBe(reason)
      else expect(await result).toBe(index)
    })
    await Promise.all(asked)
    expect(seen.most).toBe(1)
    const expected = all.flatMap((fate, index) => (fate === 'left' && index > 0 ? [] : [index]))
    expect(seen.begun.toSorted((a, b) => a - b)).toEqual(expected)
  })

  always('waits for no other root', arbitraryPair, async ([a, b]) => {
    const [one, two] = bench.handles
    const common = bench.name()
    const both = one.records.alone(a + common, () => two.records.alone(b + common, async () => 'both'))
    expect(await both).toBe('both')
  })

  it('lets one leave that waits, and the next begin', async () => {
    const [one, two] = bench.handles
    const root = bench.name()
    const reason = new Error('the turn was cancelled')
    const begun: string[] = []
    const leaving = new AbortController()
    await one.records.alone(root, async () => {
      const waiting = two.records.alone(root, async () => begun.push('left'), { signal: leaving.signal })
      leaving.abort(reason)
      await expect(waiting).rejects.toBe(reason)
    })
    await two.records.alone(root, async () => begun.push('next'))
    expect(begun).toEqual(['next'])
  })
}

function artifactLaws(bench: Bench, always: Always): void {
  always('any text comes back, well-formed, under one key', arbitraryText, async (text) => {
    const [one, two] = bench.handles
    const namespace = bench.name()
    const keys = await Promise.all([one, two, one].map((stores) => stores.artifacts.put(namespace, text)))
    const [key = ''] = keys
    expect(new Set(keys)).toEqual(new Set([key]))
    expect(await two.artifacts.get(namespace, key)).toBe(text.toWellFormed())
    expect(await one.artifacts.put(namespace, text.toWellFormed())).toBe(key)
  })

  always('different texts have different keys', fc.tuple(arbitraryText, arbitraryText), async ([a, b]) => {
    fc.pre(a.toWellFormed() !== b.toWellFormed())
    const { artifacts } = bench.handles[0]
    const namespace = bench.name()
    const [first, second] = [await artifacts.put(namespace, a), await artifacts.put(namespace, b)]
    expect(first).not.toBe(second)
    expect(await artifacts.get(namespace, first)).toBe(a.toWellFormed())
    expect(await artifacts.get(namespace, second)).toBe(b.toWellFormed())
  })

  always(
    'of one namespace cannot be read in another, nor their keys be guessed there',
    arbitraryPair,
    async ([a, b]) => {
      const [one, two] = bench.handles
      const common = bench.name()
      const key = await one.artifacts.put(a + common, 'same text')
      expect(await two.artifacts.get(b + common, key)).toBeUndefined()
      expect(await two.artifacts.put(b + common, 'same text')).not.toBe(key)
      expect(await two.artifacts.get(b + common, key)).toBeUndefined()
    },
  )

  always('a key that was never given finds nothing, however hostile', arbitraryId, async (id) => {
    const { artifacts } = bench.handles[0]
    const namespace = bench.name()
    const key = await artifacts.put(namespace, 'text')
    const other = await artifacts.put(bench.name(), 'other text')
    for (const wrong of [
      id,
      `../${key}`,
      `./${key}`,
      `${key}/`,
      `${key}\0`,
      ` ${key}`,
      key.slice(1),
      other,
      `${id}/../${key}`,
    ]) {
      expect(await artifacts.get(namespace, wrong)).toBeUndefined()
    }
  })
}

function historyLaws(bench: Bench, always: Always): void {
  const batches = fc.array(arbitraryEntries, { maxLength: 5 })

  always('hold each entry once, in the order of the appends', batches, async (appends) => {
    const session = { namespace: bench.name(), session: 's' }
    for (const [index, entries] of appends.entries()) {
      const { history } = bench.handles[index % 2 === 0 ? 0 : 1]
      await history.append(session, entries)
    }
    const text = await bench.handles[0].history.read(session)
    const expected = new Map(
      appends
        .flat()
        .toReversed()
        .map((one) => [entryMark(one), wellFormedEntry(one)]),
    )
    const marks = [...new Set(appends.flat().map(entryMark))]
    expect(historyEntries(text ?? '')).toEqual(marks.map((mark) => expected.get(mark)))
    expect(text === undefined).toBe(marks.length === 0)
  })

  always('hold each entry once also where two append at the same time', fc.tuple(batches, batches), async (both) => {
    const session = { namespace: bench.name(), session: 's' }
    const sides = both.map((appends, side) => appends.map((entries) => entries.map((one) => sided(one, side))))
    const shared = entry(99, 'both append this')
    await Promise.all(
      sides.flatMap((appends, side) =>
        [...appends, [shared]].map((entries) => bench.handles[side === 0 ? 0 : 1].history.append(session, entries)),
      ),
    )
    const text = (await bench.handles[0].history.read(session)) ?? ''
    const marks = historyEntries(text).map(entryMark)
    for (const mark of marks) expect(`\n${text}`.split(`\n${mark}\n`)).toHaveLength(2)
    expect(marks.filter((mark) => mark === entryMark(shared))).toHaveLength(1)
    for (const [side, appends] of sides.entries()) {
      const own = [...new Set(appends.flat().map(entryMark))]
      expect(marks.filter((mark) => mark.includes(` ${side}`.padEnd(9, String(side))))).toEqual(own)
    }
  })

  always('of one session or namespace are not those of another', arbitraryPair, async ([a, b]) => {
    const [{ history }, other] = bench.handles
    const common = bench.name()
    const mine = { namespace: a + common, session: a }
    const entries = [entry(0, 'mine')]
    const path = await history.append(mine, entries)
    expect(await history.append(mine, entries)).toBe(path)
    expect(await other.history.append({ ...mine, session: b }, [])).not.toBe(path)
    for (const session of [
      { ...mine, session: b },
      { ...mine, namespace: b + common },
    ]) {
      expect(await other.history.read(session)).toBeUndefined()
      await other.history.append(session, [entry(1, 'theirs')])
    }
    expect(historyEntries((await other.history.read(mine)) ?? '')).toEqual(entries)
  })
}

function searchLaws(bench: Bench, always: Always): void {
  const indexed: Always = (law, arbitrary, hold) =>
    always(law, arbitrary, hold, () =>
      bench.handles[0].history.search === undefined ? 'without an index a history is read and searched' : undefined,
    )
  const word = fc.constantFrom('config', 'Config', 'reads', 'ENOENT', 'x1', 'zebra')
  const entries = fc.array(
    fc
      .record({ position: fc.nat(5), fork: fc.nat(1), words: fc.array(word, { maxLength: 5 }), noise: arbitraryText })
      .map(({ position, fork, words, noise }) => ({
        ...entry(position, `${words.join(' ')}\n${noise}`),
        fingerprint: String(fork).repeat(16),
      })),
    { maxLength: 8 },
  )
  const question = fc.record({ entries, word, matches: fc.integer({ min: 1, max: 8 }), own: fc.option(fc.nat(1)) })

  always('of a range have its entries', fc.tuple(arbitraryEntries, fc.nat(6), fc.nat(6)), async ([all, from, to]) => {
    const session = { namespace: bench.name(), session: 's' }
    const [one, two] = bench.handles
    await one.history.append(session, all)
    const within = ({ position }: HistoryEntry) => position >= from && position < to
    const whole = historyEntries((await two.history.read(session)) ?? '')
    const part = historyEntries((await two.history.read(session, { from, to })) ?? '')
    expect(part.filter(within)).toEqual(whole.filter(within))
  })

  indexed('find the positions that hold a word, in the own version where there is one', question, async (one) => {
    const session = { namespace: bench.name(), session: 's' }
    const [{ history }, other] = bench.handles
    await other.history.append(session, one.entries)
    const own = one.own === null ? undefined : () => String(one.own).repeat(16)
    const bounds = { matches: one.matches, excerpt: 20, ...(own !== undefined && { own }) }
    const search = await history.search?.(session, one.word, bounds)
    const { found, matches } = search ?? { found: 0, matches: [] }
    const text = historyText(one.entries)
    const messages = new Map(messagesOf(text, own).map((message) => [message.position, message.text]))
    const holding = [...messages].flatMap(([position, message]) => (wordIn(one.word).test(message) ? [position] : []))
    expect(found).toBeGreaterThanOrEqual(holding.length)
    expect(found).toBeLessThanOrEqual(searchHistory(text, one.word, bounds).found)
    expect(matches).toHaveLength(Math.min(found, one.matches))
    if (matches.length === found)
      expect(matches.map(({ position }) => position)).toEqual(expect.arrayContaining(holding))
    for (const { position, offset, excerpt } of matches) {
      expect(messages.get(position)?.toLowerCase()).toContain(one.word.toLowerCase())
      expect(offset).toBeLessThanOrEqual(messages.get(position)?.length ?? -1)
      expect(excerpt.length).toBeLessThanOrEqual(20)
    }
  })
}

function wordIn(word: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}\\p{M}_])${word}(?![\\p{L}\\p{N}\\p{M}_])`, 'iu')
}

function limitLaws(bench: Bench, always: Always): void {
  const statement = fc.record({ window: fc.integer({ min: 1, max: 5 }), hours: fc.integer({ min: 0, max: 30 }) })

  always(
    'are only lowered until they are forgotten after 24 hours',
    fc.array(statement, { maxLength: 8 }),
    async (statements) => {
      const scope = { namespace: bench.name(), upstream: 'u', model: 'm' }
      let known: { readonly window: number; readonly at: number } | undefined
      for (const [index, { window, hours }] of statements.entries()) {
        bench.time += hours * HOUR
        if (known !== undefined && bench.time - known.at >= 24 * HOUR) known = undefined
        if (known === undefined || window < known.window) known = { window, at: bench.time }
        await bench.handles[index % 2 === 0 ? 0 : 1].limits.learn(scope, { window, at: bench.time })
        expect(await bench.handles[0].limits.get(scope)).toEqual(known)
      }
      bench.time += 24 * HOUR
      expect(await bench.handles[0].limits.get(scope)).toBeUndefined()
    },
  )

  always(
    'the lowest is known where many are learned at once',
    fc.array(fc.integer({ min: 1 }), { minLength: 1 }),
    async (windows) => {
      const scope = { namespace: bench.name(), upstream: 'u', model: 'm' }
      const at = bench.time
      await Promise.all(
        windows.map((window, side) => bench.handles[side % 2 === 0 ? 0 : 1].limits.learn(scope, { window, at })),
      )
      expect(await bench.handles[1].limits.get(scope)).toEqual({ window: Math.min(...windows), at })
    },
  )

  always('of one scope are not those of another', arbitraryPair, async ([a, b]) => {
    const { limits } = bench.handles[0]
    const namespace = bench.name()
    const scope = { namespace, upstream: a, model: b }
    await limits.learn(scope, { window: 5, at: bench.time })
    const others: readonly LimitScope[] = [
      { ...scope, upstream: b },
      { ...scope, model: a },
      { ...scope, namespace: bench.name() },
      { namespace, upstream: `${a}${b}`, model: '' },
      { namespace, upstream: '', model: `${a}${b}` },
    ]
    for (const other of others) {
      if (other.upstream === a && other.model === b && other.namespace === namespace) continue
      expect(await limits.get(other)).toBeUndefined()
    }
    expect(await limits.get(scope)).toEqual({ window: 5, at: bench.time })
  })

  it('refuse what no provider can have stated', async () => {
    const { limits } = bench.handles[0]
    const scope = { namespace: bench.name(), upstream: 'u', model: 'm' }
    for (const limit of [
      { window: 0, at: 1 },
      { window: Number.NaN, at: 1 },
      { window: 1, at: Number.NaN },
    ]) {
      await expect(limits.learn(scope, limit)).rejects.toThrow(RangeError)
    }
    expect(await limits.get(scope)).toBeUndefined()
  })
}

function abortLaws(bench: Bench): void {
  it('rejects with the reason of the signal, and writes nothing', async () => {
    const [{ records, artifacts, history, limits }] = bench.handles
    const name = bench.name()
    const reason = new Error('the turn was cancelled')
    const call: StoreCall = { signal: AbortSignal.abort(reason) }
    const session = { namespace: name, session: 's' }
    const scope = { namespace: name, upstream: 'u', model: 'm' }
    const begun: string[] = []
    const calls = [
      () => records.list(name, call),
      () => records.commit(name, toyRecord('k'), call),
      () => records.alone(name, async () => begun.push('this'), call),
      () => artifacts.put(name, 'text', call),
      () => artifacts.get(name, '', call),
      () => history.append(session, [entry(0, 'text')], call),
      () => history.read(session, call),
      () => history.search?.(session, 'text', call) ?? Promise.reject(reason),
      () => limits.get(scope, call),
      () => limits.learn(scope, { window: 1, at: bench.time }, call),
    ]
    for (const run of calls) await expect(run()).rejects.toBe(reason)
    expect(begun).toEqual([])
    expect(await records.list(name)).toEqual([])
    expect(await history.read(session)).toBeUndefined()
    expect(await limits.get(scope)).toBeUndefined()
  })
}

const HOUR = 60 * 60 * 1000

/** Ids that lead out of a folder, name devices, or look alike to some system. */
const HOSTILE = [
  '',
  '.',
  '..',
  '../',
  '/etc/passwd',
  'a/../../b',
  'a\\..\\b',
  'con',
  'A',
  'a',
  '\0',
  '__proto__',
  '~',
  '%2e',
]
const arbitraryId = fc.oneof(
  fc.constantFrom(...HOSTILE, '\ud800', '\udfff', 'x'.repeat(2048), 'é', 'e\u0301'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const arbitraryPair = fc.tuple(arbitraryId, arbitraryId).filter(([a, b]) => a !== b)

const arbitraryText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '\n', '\r', '\ufeff', '\0', 'a'), maxLength: 20 }),
)

const arbitraryRecords = fc.array(
  fc
    .record({ key: fc.constantFrom('k1', 'k2', 'k3', '__proto__', ''), content: arbitraryText, path: arbitraryText })
    .map(({ key, content, path }) => ({
      ...toyRecord(key, content),
      history_path: path,
      usage: { input: 1, output: 2 },
    })),
  { maxLength: 6 },
)

/** Entries at few positions, some of them twice, of one conversation and its forks. */
export const arbitraryEntries: fc.Arbitrary<readonly HistoryEntry[]> = fc.array(
  fc
    .record({ position: fc.nat(5), fork: fc.nat(1), text: fc.oneof(arbitraryText, fc.lorem({ maxCount: 4 })) })
    .map(({ position, fork, text }) => ({ ...entry(position, text), fingerprint: String(fork).repeat(16) })),
  { maxLength: 5 },
)

function wellFormedEntry(one: HistoryEntry): HistoryEntry {
  return { ...one, markdown: one.markdown.toWellFormed() }
}

/** Marked as what one of two handles appends. */
function sided(one: HistoryEntry, side: number): HistoryEntry {
  return { ...one, fingerprint: String(side).repeat(8) + one.fingerprint.slice(8) }
}
