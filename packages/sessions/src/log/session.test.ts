import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifyChain } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import { memorySessions } from './memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, toyRecord, userSays, WatchedStore } from './session.test-data.ts'
import { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

const USAGE = { input: 100, cacheRead: 10, cacheWrite: 20, output: 5 }
let time = 1_700_000_000_000
const now = () => (time += 5)

function create(store: SessionStore, more: object = {}): Promise<Session> {
  return Session.create(store, 's', { dialect: anthropic, now, ...more })
}

async function expectSound(session: Session, store: SessionStore): Promise<void> {
  const log = await store.read(session.id)
  expect(verifyChain(log)).toBeUndefined()
  const folded = foldEntries(log)
  expect(folded.snapshot).toEqual(session.snapshot)
  expect(await session.transcript()).toEqual(folded.messages.map(({ item }) => item))
}

describe('a session', () => {
  it('is there once it was made, with what it was told', async () => {
    const store = memorySessions().open()
    const session = await create(store, { model: 'claude-sonnet-4-5', cwd: '/w', title: 't', frame: { max_tokens: 9 } })
    const opened = await Session.open(store, 's')
    expect(opened.snapshot).toEqual(session.snapshot)
    expect(opened.snapshot.started).toEqual({
      type: 'session-started',
      dialect: 'anthropic-messages',
      toolResults: 'full',
      model: 'claude-sonnet-4-5',
      cwd: '/w',
      title: 't',
      frame: { max_tokens: 9 },
    })
    expect(opened.place).toEqual(session.place)
  })

  it('is refused where its id is taken, where there is none, and where it is opened as what it is not', async () => {
    const store = memorySessions().open()
    await expect(Session.open(store, 's')).rejects.toMatchObject({ code: 'not-found' })
    await create(store)
    await expect(create(store)).rejects.toMatchObject({ code: 'conflict' })
    const other = { ...anthropic, name: 'gemini' }
    await expect(Session.open(store, 's', { dialect: other })).rejects.toMatchObject({ code: 'invalid-input' })
    const strange = { ...anthropic, name: 'telepathy' }
    await Session.create(store, 'strange', { dialect: strange })
    await expect(Session.open(store, 'strange')).rejects.toThrow(/telepathy/)
    expect((await Session.open(store, 'strange', { dialect: strange })).id).toBe('strange')
  })

  it('has at once what is added, and stores it when asked', async () => {
    const store = memorySessions().open()
    const session = await create(store)
    session.startTurn()
    session.appendItems([userSays('hello')])
    session.appendItems([userSays('reminder')], { injected: true })
    session.requestAction({ action: 'a', kind: 'tool', name: 'read', input: { path: 'x' } })
    session.completeAction('a', 'ok', { output: 'done' })
    session.recordUsage({ purpose: 'chat', usage: USAGE, learned: { scale: 1.1 } })
    expect(session.snapshot).toMatchObject({ length: 2, turn: 1, turnOpen: true, lastInputTokens: 100, running: [] })
    expect(await session.transcript()).toEqual([userSays('hello'), userSays('reminder')])
    expect(await session.transcript({ from: 1 })).toEqual([userSays('reminder')])
    expect(await session.transcript({ from: 2 })).toEqual([])
    expect((await store.read('s')).length).toBe(1)
    await session.commit()
    expect(session.stored).toEqual(session.place)
    await expectSound(session, store)
    expect((await session.messages()).map(({ injected }) => injected)).toEqual([undefined, true])
  })

  it('takes all of what is added at once, or nothing', async () => {
    const session = await create(memorySessions().open())
    const before = session.snapshot
    expect(() => session.add({ type: 'turn-started' }, { type: 'turn-started' })).toThrow(/entry 3/)
    expect(() => session.completeAction('a', 'ok')).toThrow(/does not run/)
    expect(() => session.appendItems([userSays('a'), { role: 'user', content: [new Uint8Array(2)] }])).toThrow(
      /Uint8Array at \/item\/content\/0/,
    )
    expect(session.snapshot).toBe(before)
    await expect(session.endTurn('answered')).rejects.toThrow(RangeError)
  })

  it('E4 writes its counters once per turn, whatever happens in it', async () => {
    const store = new WatchedStore(memorySessions().open())
    const session = await create(store)
    for (const turn of [1, 2]) {
      session.startTurn()
      session.appendItems([userSays(`question ${turn}`)])
      await session.commit()
      for (const attempt of turn === 1 ? [1, 2] : [1]) {
        session.recordUsage({ purpose: 'chat', usage: { ...USAGE, input: turn * 10 + attempt } })
        await session.commit()
      }
      session.appendItems([modelSays('answer')])
      await session.endTurn('answered')
    }
    const counted = store.appends.filter(({ options }) => options.counters !== undefined)
    expect(counted.map(({ options }) => options.counters)).toEqual([
      { lastInputTokens: 12, compactions: 0 },
      { lastInputTokens: 21, compactions: 0 },
    ])
    expect(store.appends.length).toBe(8)
    expect(await store.find('s')).toMatchObject({ lastInputTokens: 21, messages: 4 })
  })

  it('keeps what could not be stored, and stores it once, counters too, when called again', async () => {
    for (const fails of ['before', 'after'] as const) {
      const store = new WatchedStore(memorySessions().open())
      const session = await create(store)
      session.startTurn()
      session.appendItems([userSays('hello'), modelSays('hi')])
      store.fails = fails
      await expect(session.endTurn('answered')).rejects.toThrow(/The store/)
      await session.endTurn('answered')
      expect(await store.find('s')).toMatchObject({ messages: 2, entries: 5 })
      expect(store.appends.at(-1)?.options.counters).toEqual({ compactions: 0 })
      await expectSound(session, store)
    }
  })

  it('CF-23 keeps what is added while an append is under way that fails, in order, and tells that failure', async () => {
    const store = new WatchedStore(memorySessions().open())
    const session = await create(store)
    session.appendItems([userSays('0')])
    store.fails = 'before'
    const failing = expect(session.commit()).rejects.toThrow('The store is away.')
    const texts = Array.from({ length: 9 }, (_, n) => String(n + 1))
    const later = texts.map((text) => {
      session.appendItems([userSays(text)])
      return session.commit()
    })
    await failing
    await Promise.all(later)
    expect(await session.transcript()).toEqual(['0', ...texts].map(userSays))
    await expectSound(session, store)
  })

  it('leaves nothing running and no call open in a turn that was not answered', async () => {
    const store = memorySessions().open()
    const session = await create(store)
    session.startTurn()
    session.appendItems([userSays('hello'), toolCall('c')])
    session.requestAction({ action: 'c', kind: 'tool', name: 'read' })
    await session.endTurn('cancelled')
    expect(session.snapshot).toMatchObject({ running: [], turnOpen: false, length: 3 })
    expect(anthropic.check({ system: [], items: await session.transcript() })).toEqual([])
    await expectSound(session, store)
  })

  it('shows again all that the user saw, and the model only the view', async () => {
    const store = memorySessions().open()
    const session = await create(store)
    session.appendItems([userSays('one'), modelSays('two')])
    session.add({ type: 'display-segment', role: 'notice', text: 'compacting' })
    session.applyCompaction(toyRecord('so far', 2))
    session.appendItems([userSays('three')])
    await session.commit()
    session.appendItems([modelSays('four')])
    const shown = await session.display()
    expect(shown.map((one) => (one.type === 'display-segment' ? one.text : one.item))).toEqual([
      userSays('one'),
      modelSays('two'),
      'compacting',
      userSays('three'),
      modelSays('four'),
    ])
    const view = JSON.stringify(await session.view())
    expect(view).toContain('so far')
    expect(view).not.toContain('two')
    expect(view).toContain('four')
    expect((await session.transcript()).length).toBe(4)
  })

  it('puts a compaction in force once', async () => {
    const session = await create(memorySessions().open())
    session.appendItems([userSays('one'), modelSays('two')])
    session.applyCompaction(toyRecord('so far', 1))
    const { place } = session
    session.applyCompaction(toyRecord('so far', 1))
    expect(session.place).toEqual(place)
    expect(session.snapshot.compactions).toBe(1)
    expect(() => session.applyCompaction(toyRecord('too much', 3))).toThrow(/3 messages of a transcript of 2/)
  })

  it('A8 tells where the tokens of a transcript are', async () => {
    const frame = { model: 'claude-sonnet-4-5', system: 'be brief and kind', max_tokens: 9, messages: [] }
    const session = await create(memorySessions().open(), { model: 'claude-sonnet-4-5', frame })
    session.appendItems([userSays('one two three'), toolCall('c'), toolResult('c', 'a long result '.repeat(50))])
    session.appendItems([userSays('reminder '.repeat(20))], { injected: true })
    session.appendItems([userSays('and then?')])
    const { ledger, overhead } = await session.ledger()
    expect(ledger.length).toBe(5)
    const { human, model, tool } = ledger.bySource()
    expect(tool).toBeGreaterThan(model)
    expect(human).toBeGreaterThan(0)
    expect(ledger.byTurn()).toHaveLength(3)
    expect(overhead?.system).toBeGreaterThan(3)
  })
})

describe('a rewind', () => {
  it('BB-19 to before a compaction shows the originals, to behind it the summary, and back again', async () => {
    const store = memorySessions().open()
    const session = await create(store)
    session.appendItems([userSays('one'), modelSays('two')])
    const before = session.place.seq
    session.applyCompaction(toyRecord('so far', 2))
    session.appendItems([userSays('three')])
    await session.commit()
    const after = session.place.seq
    const compacted = await session.view()
    await session.rewind(before)
    expect(await session.view()).toEqual([userSays('one'), modelSays('two')])
    await expectSound(session, store)
    session.appendItems([userSays('instead')])
    await session.commit()
    await expectSound(await Session.open(store, 's'), store)
    await session.rewind(after)
    expect(await session.view()).toEqual(compacted)
    expect(await (await Session.open(store, 's')).view()).toEqual(compacted)
    await expectSound(session, store)
    expect(session.snapshot.compactions).toBe(1)
    const shown = (await session.display()).map((one) => (one.type === 'message-appended' ? one.item : one.text))
    expect(shown).toEqual([userSays('one'), modelSays('two'), userSays('three')])
  })

  it('stores first what was not, and is refused where it leads nowhere', async () => {
    const store = memorySessions().open()
    const session = await create(store)
    session.startTurn()
    session.appendItems([userSays('one'), toolCall('c')])
    session.requestAction({ action: 'c', kind: 'tool', name: 'read' })
    await expect(session.rewind(99)).rejects.toMatchObject({ code: 'not-found' })
    await expect(session.rewind(0)).rejects.toThrow(RangeError)
    const rewinding = session.rewind(3)
    expect(() => session.appendItems([userSays('meanwhile')])).toThrow(RangeError)
    await rewinding
    expect(session.snapshot).toMatchObject({ length: 1, turnOpen: true, running: [] })
    session.appendItems([modelSays('two')])
    await session.endTurn('answered')
    await expectSound(session, store)
  })

  it('anywhere in any session leaves memory, store and resumed session the same', async () => {
    const step = fc.oneof(
      fc.constantFrom('say', 'turn', 'act', 'compact', 'commit', 'reopen' as const).map((does) => ({ does, share: 0 })),
      fc.record({ does: fc.constant('rewind'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const store = memorySessions().open()
        let session = await create(store)
        for (const [n, { does, share }] of steps.entries()) {
          const { length, turnOpen, running } = session.snapshot
          if (does === 'say') session.appendItems([n % 2 === 0 ? userSays(`${n}`) : modelSays(`${n}`)])
          else if (does === 'turn') turnOpen ? await session.endTurn('answered') : session.startTurn()
          else if (does === 'act' && running.length > 0) session.completeAction('a', 'failed')
          else if (does === 'act') session.requestAction({ action: 'a', kind: 'store', name: 'n' })
          else if (does === 'compact' && length > 0) session.applyCompaction(toyRecord(`${n}`, length))
          else if (does === 'rewind') await session.rewind(1 + Math.floor(share * (session.place.seq - 1)))
          else await session.commit()
          if (does === 'reopen') session = await Session.open(store, 's', { now })
        }
        await session.commit()
        await expectSound(session, store)
        const resumed = await Session.open(store, 's')
        await expectSound(resumed, store)
        expect(await resumed.view()).toEqual(await session.view())
      }),
      { numRuns: 100 },
    )
  })
})

describe('resuming a session', () => {
  it('costs what came since the last checkpoint and what is shown, however long it was before', async () => {
    const costs: number[] = []
    for (const turns of [300, 1_200]) {
      const store = new WatchedStore(memorySessions().open())
      const session = await create(store)
      for (let turn = 0; turn < turns; turn++) {
        session.startTurn()
        session.appendItems([userSays(`question ${turn}`), modelSays('answer '.repeat(3))])
        await session.endTurn('answered')
        if (turn === turns - 20) session.applyCompaction(toyRecord('so far', 2 * turn))
      }
      store.readSoFar = 0
      const resumed = await Session.open(store, 's')
      expect(await resumed.view()).toEqual(await session.view())
      costs.push(store.readSoFar)
      const checkpoints = (await store.read('s')).filter(({ type }) => type === 'checkpoint')
      expect(checkpoints.length).toBe(Math.floor((turns * 4) / 500) + 1)
    }
    expect(costs[0]).toBeLessThan(200)
    expect(costs[1]).toBe(costs[0])
  })
})
