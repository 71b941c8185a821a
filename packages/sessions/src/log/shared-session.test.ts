import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifyChain } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import { INTERRUPTED } from './interrupted-results.ts'
import { memorySessions } from './memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, toyRecord, userSays } from './session.test-data.ts'
import { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

const now = () => 1_700_000_000_000

async function twoHandles() {
  const store = memorySessions().open()
  const first = await Session.create(store, 's', { dialect: anthropic, now })
  return { store, first, second: await Session.open(store, 's', { now }) }
}

async function textsOf(store: SessionStore): Promise<readonly unknown[]> {
  const log = await store.read('s')
  expect(verifyChain(log)).toBeUndefined()
  return foldEntries(log).messages.map(({ item }) => (item as { content: unknown }).content)
}

describe('two processes on one session', () => {
  it('are told of each other, and lose no message', async () => {
    const { store, first, second } = await twoHandles()
    first.appendItems([userSays('first')])
    second.appendItems([userSays('second'), userSays('third')])
    await first.commit()
    await expect(second.commit()).rejects.toMatchObject({ code: 'conflict' })
    await second.refresh()
    expect(second.snapshot.length).toBe(3)
    await second.commit()
    await first.refresh()
    expect(await textsOf(store)).toEqual(['first', 'second', 'third'])
    expect(await first.transcript()).toEqual(await second.transcript())
    expect(first.snapshot).toEqual(second.snapshot)
  })

  it('that write without asking each other lose and double no message, however they interleave', async () => {
    const steps = fc.array(fc.tuple(fc.nat(1), fc.constantFrom('say', 'turn', 'act', 'commit', 'commit')), {
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const { store, first, second } = await twoHandles()
        const said: string[][] = [[], []]
        for (const [n, [who, does]] of [...plan, [0, 'commit'], [1, 'commit'], [0, 'commit']].entries()) {
          const session = who === 0 ? first : second
          const { turnOpen, running } = session.snapshot
          if (does === 'say') {
            said[who as number]?.push(`${who} ${n}`)
            session.appendItems([userSays(`${who} ${n}`)])
          } else if (does === 'turn')
            session.add(turnOpen ? { type: 'turn-ended', outcome: 'answered' } : { type: 'turn-started' })
          else if (does === 'act' && running.length > 0) session.completeAction('a', 'ok')
          else if (does === 'act') session.requestAction({ action: 'a', kind: 'tool', name: 'n' })
          else await session.commit().catch(() => session.refresh().then(() => session.commit()))
        }
        await first.refresh()
        await second.refresh()
        const texts = await textsOf(store)
        for (const who of [0, 1]) expect(texts.filter((text) => String(text).startsWith(`${who} `))).toEqual(said[who])
        expect(first.snapshot).toEqual(second.snapshot)
        expect(await first.transcript()).toEqual(await second.transcript())
      }),
      { numRuns: 100 },
    )
  })

  it('take turns, one after the other', async () => {
    const { store, first, second } = await twoHandles()
    let inside = 0
    const turn = (session: Session, name: string) =>
      session.turn(async () => {
        expect(++inside).toBe(1)
        session.appendItems([userSays(`${name} asks`)])
        await session.commit()
        session.appendItems([modelSays(`${name} is answered`)])
        inside -= 1
        return name
      })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const done = await Promise.all(names.map((name, n) => turn(n % 2 === 0 ? first : second, name)))
    expect(done).toEqual(names)
    const texts = await textsOf(store)
    expect(texts).toEqual(names.flatMap((name) => [`${name} asks`, `${name} is answered`]))
    expect((await store.find('s'))?.messages).toBe(12)
    expect(foldEntries(await store.read('s')).snapshot).toMatchObject({ turn: 6, turnOpen: false })
  })

  it('keep one of two compactions of the same messages', async () => {
    const { store, first, second } = await twoHandles()
    first.appendItems([userSays('one'), modelSays('two')])
    await first.commit()
    await second.refresh()
    first.applyCompaction(toyRecord('first', 2))
    second.applyCompaction(toyRecord('second', 2))
    second.appendItems([userSays('three')])
    await first.commit()
    await expect(second.commit()).rejects.toMatchObject({ code: 'conflict' })
    await second.refresh()
    await second.commit()
    expect(second.snapshot.record?.key).toBe('first')
    expect(foldEntries(await store.read('s')).snapshot).toMatchObject({ compactions: 1, length: 3 })
  })

  it('see that the session is another one now', async () => {
    const { store, second } = await twoHandles()
    second.appendItems([userSays('lost?')])
    await store.remove('s')
    await expect(second.refresh()).rejects.toMatchObject({ code: 'conflict' })
    await Session.create(store, 's', { dialect: anthropic, now: () => 7 })
    await expect(second.refresh()).rejects.toMatchObject({ code: 'conflict' })
    await expect(second.commit()).rejects.toMatchObject({ code: 'conflict' })
  })

  it('go back to where one of them rewound, and say there what the other had to say', async () => {
    const { store, first, second } = await twoHandles()
    first.appendItems([userSays('one'), modelSays('two')])
    await first.commit()
    await second.refresh()
    await second.transcript()
    second.appendItems([userSays('three')])
    await first.rewind(2)
    await expect(second.commit()).rejects.toMatchObject({ code: 'conflict' })
    await second.refresh()
    await second.commit()
    expect(await textsOf(store)).toEqual(['one', 'three'])
    expect(await second.transcript()).toEqual([userSays('one'), userSays('three')])
  })
})

describe('a turn', () => {
  it('that fails or is cancelled ends as such, and the error is the caller’s', async () => {
    const { store, first } = await twoHandles()
    const fault = new Error('the model is away')
    await expect(first.turn(() => Promise.reject(fault))).rejects.toBe(fault)
    const thrown = first.turn(() => {
      throw fault
    })
    await expect(thrown).rejects.toBe(fault)
    const controller = new AbortController()
    const cancelled = first.turn(
      async (session) => {
        session.appendItems([userSays('hello'), toolCall('c')])
        controller.abort(fault)
        controller.signal.throwIfAborted()
      },
      { signal: controller.signal },
    )
    await expect(cancelled).rejects.toBe(fault)
    const outcomes = (await store.read('s')).flatMap((entry) => (entry.type === 'turn-ended' ? [entry.outcome] : []))
    expect(outcomes).toEqual(['failed', 'failed', 'cancelled'])
    expect(anthropic.check({ system: [], items: await first.transcript() })).toEqual([])
  })

  it('may end itself', async () => {
    const { store, first } = await twoHandles()
    await first.turn((session) => session.endTurn('cancelled'))
    expect((await store.read('s')).filter(({ type }) => type === 'turn-ended')).toHaveLength(1)
  })
})

describe('after a crash', () => {
  it('the next turn finds everything settled, with results for the calls that were open', async () => {
    const store = memorySessions().open()
    const crashed = await Session.create(store, 's', { dialect: anthropic, now })
    crashed.startTurn()
    crashed.appendItems([userSays('hello'), toolCall('a'), toolResult('a', 'done'), toolCall('b')])
    crashed.requestAction({ action: 'b', kind: 'tool', name: 'read' })
    await crashed.commit()
    crashed.appendItems([toolResult('b', 'this was never stored')])

    const resumed = await Session.open(store, 's', { now })
    expect(resumed.snapshot).toMatchObject({ turnOpen: true, running: [{ action: 'b', kind: 'tool', name: 'read' }] })
    await resumed.turn(async (session) => {
      session.appendItems([userSays('go on')])
    })
    const log = await store.read('s')
    expect(log.filter(({ type }) => type === 'action-completed')).toMatchObject([
      { action: 'b', status: 'interrupted' },
    ])
    expect(log.filter(({ type }) => type === 'turn-ended')).toMatchObject([
      { outcome: 'interrupted' },
      { outcome: 'answered' },
    ])
    expect((await resumed.transcript()).at(-2)).toMatchObject({
      content: [{ type: 'tool_result', tool_use_id: 'b', content: INTERRUPTED, is_error: true }],
    })
    expect(anthropic.check({ system: [], items: await resumed.transcript() })).toEqual([])
    expect(verifyChain(log)).toBeUndefined()
  })

  it('opening alone changes nothing, and a session without turns is left as it is', async () => {
    const store = memorySessions().open()
    const session = await Session.create(store, 's', { dialect: anthropic, now })
    session.appendItems([userSays('hello'), toolCall('a')])
    await session.commit()
    const resumed = await Session.open(store, 's')
    await resumed.settle()
    await resumed.commit()
    expect(await store.read('s')).toHaveLength(3)
  })
})

it('what waits to be stored stands behind a turn of others that died, once that is settled', async () => {
  const store = memorySessions().open()
  const first = await Session.create(store, 's', { dialect: anthropic })
  const dies = await Session.open(store, 's', { now: () => 1 })
  first.startTurn()
  first.appendItems([userSays('mine'), toolCall('a')])
  dies.startTurn()
  dies.appendItems([userSays('theirs'), toolCall('b')])
  await dies.commit()
  await first.turn(async () => undefined)
  const said = (await first.transcript()).map((item) => JSON.stringify(item).match(/theirs|mine|"[ab]"/)?.[0])
  expect(said).toEqual(['theirs', '"b"', '"b"', 'mine', '"a"', '"a"'])
  expect(first.snapshot).toMatchObject({ turn: 3, turnOpen: false })
})
