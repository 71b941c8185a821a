import { type Dialect, gemini } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { verifyChain } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import { memorySessions } from './memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, toyRecord, userSays, WatchedStore } from './session.test-data.ts'
import { type NewSession, Session } from './session.ts'

const now = () => 1_700_000_000_000

async function begun(options: Partial<NewSession> = {}) {
  const store = new WatchedStore(memorySessions().open())
  const session = await Session.create(store, 's', { dialect: anthropic, now, ...options })
  return { store, session, other: () => Session.open(store, 's', { now }) }
}

/** The items of a log that is sound. */
async function storedItems(store: WatchedStore): Promise<readonly unknown[]> {
  const log = await store.read('s')
  expect(verifyChain(log)).toBeUndefined()
  return foldEntries(log).messages.map(({ item }) => item)
}

function chatUsage(input: number) {
  return { purpose: 'chat', usage: { input, cacheRead: 0, cacheWrite: 0, output: 1 } } as const
}

describe('objects that are changed after they were given', () => {
  it('change nothing that is stored, nor what is shown', async () => {
    const frame = { system: 'be brief' }
    const { store, session } = await begun({ frame })
    const item = { role: 'user', content: 'hello' }
    session.appendItems([item])
    item.content = 'changed'
    frame.system = 'changed'
    expect(await session.view()).toEqual([userSays('hello')])
    await session.commit()
    expect(await storedItems(store)).toEqual([userSays('hello')])
    await session.rewind(2)
    expect((await store.checkpoint('s'))?.state.started.frame).toEqual({ system: 'be brief' })
  })

  it('are not those that are stored when they come from a view', async () => {
    const { store, session } = await begun()
    session.appendItems([userSays('hello')])
    for (const item of await session.view()) Object.assign(item, { cache_control: { type: 'ephemeral' } })
    await session.commit()
    expect(await storedItems(store)).toEqual([userSays('hello')])
  })
})

describe('turns', () => {
  it('that are ended twice at once end once', async () => {
    const { store, session } = await begun()
    session.startTurn()
    session.appendItems([userSays('read a'), toolCall('a')])
    await Promise.all([session.endTurn('failed'), session.endTurn('cancelled')])
    expect(await storedItems(store)).toHaveLength(3)
    expect(session.snapshot).toMatchObject({ turn: 1, turnOpen: false })
  })

  it('that end while somebody adds the result leave one result', async () => {
    const { store, session } = await begun()
    session.startTurn()
    session.appendItems([userSays('read a'), toolCall('a')])
    const ended = session.endTurn('cancelled')
    session.appendItems([toolResult('a', 'done')])
    await ended
    expect(await storedItems(store)).toEqual([userSays('read a'), toolCall('a'), toolResult('a', 'done')])
  })

  it('refuse to wait for themselves, and wait for others', async () => {
    const { store, session, other } = await begun()
    const second = await other()
    await Session.create(store, 'child', { dialect: anthropic, now })
    const child = await Session.open(store, 'child', { now })
    await session.turn(async () => {
      expect(() => session.turn(async () => 1)).toThrow(RangeError)
      expect(() => second.turn(async () => 1)).toThrow(RangeError)
      expect(await child.turn(async () => 'of a child')).toBe('of a child')
    })
    expect(await second.turn(async () => 'after it')).toBe('after it')
  })

  it('store what was said after they went back behind their own beginning, or ended themselves', async () => {
    const { store, session } = await begun()
    await session.turn(async () => {
      await session.rewind(1)
      session.appendItems([userSays('again')])
    })
    await session.turn(async () => {
      await session.endTurn('answered')
      session.appendItems([modelSays('one word more')])
    })
    const failing = session.turn(async () => {
      await session.endTurn('answered')
      session.appendItems([modelSays('the last word')])
      throw new Error('late')
    })
    await expect(failing).rejects.toThrow('late')
    expect(await storedItems(store)).toEqual(
      ['again', 'one word more', 'the last word'].map((text, n) => (n === 0 ? userSays(text) : modelSays(text))),
    )
  })

  it('store what they said behind what somebody wrote there without a turn', async () => {
    const { store, session, other } = await begun()
    await session.turn(async () => {
      session.appendItems([userSays('question')])
      const second = await other()
      second.appendItems([userSays('a note')])
      await second.commit()
    })
    expect(await storedItems(store)).toEqual([userSays('a note'), userSays('question')])
    expect((await store.read('s')).at(-1)?.type).toBe('turn-ended')
  })

  it.each(['before', 'after'] as const)(
    'whose end the store did not take or confirm (%s) leave one result of each call, whoever settles first',
    async (fails) => {
      const { store, session, other } = await begun()
      const turn = session.turn(async () => {
        session.appendItems([userSays('read a and b'), toolCall('a')])
        await session.commit()
        session.appendItems([toolResult('a', 'done'), modelSays('read')])
        store.fails = fails
      })
      await expect(turn).rejects.toThrow()
      const second = await other()
      await second.turn(async () => second.appendItems([userSays('go on'), modelSays('yes')]))
      await session.turn(async () => session.appendItems([userSays('and now')]))
      const items = await storedItems(store)
      expect(items.filter((item) => JSON.stringify(item).includes('tool_result'))).toHaveLength(1)
      expect(items.filter((item) => JSON.stringify(item) === JSON.stringify(modelSays('read')))).toHaveLength(1)
      expect(await (await other()).transcript()).toEqual(await session.transcript())
    },
  )

  it('keep the counters of those who went on, when an end that was not confirmed is stored again', async () => {
    const { store, session, other } = await begun()
    session.startTurn()
    session.recordUsage(chatUsage(10))
    store.fails = 'after'
    await expect(session.endTurn('answered')).rejects.toThrow()
    const second = await other()
    await second.turn(async () => second.recordUsage(chatUsage(99)))
    await session.commit()
    expect(await store.find('s')).toMatchObject({ lastInputTokens: 99 })
  })
})

describe('results that waited while others answered the same calls', () => {
  it('leave an item that says more', async () => {
    const { store, session, other } = await begun()
    session.appendItems([userSays('read'), toolCall('a')])
    await session.commit()
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'done' }
    session.appendItems([{ role: 'user', content: [result, { type: 'text', text: 'and the rest?' }] }])
    const second = await other()
    second.appendItems([toolResult('a', 'done by another')])
    await second.commit()
    await session.refresh()
    await session.commit()
    const [, , , last] = await storedItems(store)
    expect(last).toEqual({ role: 'user', content: [{ type: 'text', text: 'and the rest?' }] })
  })

  it('are told by their order where calls have no ids', async () => {
    const { store, session, other } = await begun({ dialect: gemini as unknown as Dialect<unknown, object> })
    const call = { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] }
    const result = { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'x' } } }] }
    session.appendItems([{ role: 'user', parts: [{ text: 'read twice' }] }, call])
    await session.commit()
    session.appendItems([result, call, result])
    const second = await other()
    second.appendItems([result])
    await second.commit()
    await session.refresh()
    await session.commit()
    expect((await storedItems(store)).slice(1)).toEqual([call, result, call, result])
  })
})

describe('what is added while the session reads what others wrote', () => {
  it('is not lost', async () => {
    const { store, session, other } = await begun()
    const second = await other()
    second.appendItems([userSays('theirs')])
    await second.commit()
    const read = store.read
    store.read = async (id, range) => {
      session.appendItems([userSays(`while reading from ${range?.from}`)])
      return read(id, range)
    }
    session.appendItems([userSays('before')])
    await session.refresh()
    store.read = read
    const said = session.snapshot.length
    expect(said).toBeGreaterThanOrEqual(4)
    await session.commit()
    expect(await storedItems(store)).toHaveLength(said)
    expect(await session.transcript()).toEqual(await (await other()).transcript())
  })

  it('keeps the results of a running turn as the tools gave them', async () => {
    const { store, session, other } = await begun({ toolResults: 'compact' })
    await session.turn(async () => {
      session.appendItems([userSays('read'), toolCall('a'), toolResult('a', 'RAW ONE')])
      await session.commit()
      const second = await other()
      second.appendItems([userSays('a note')])
      await second.commit()
      session.appendItems([toolCall('b'), toolResult('b', 'RAW TWO')])
      await session.refresh()
      expect(JSON.stringify(await session.view())).toMatch(/RAW ONE.*RAW TWO/)
    })
    expect(JSON.stringify(await session.view())).not.toContain('RAW')
    expect(JSON.stringify(await storedItems(store))).not.toContain('RAW')
  })
})

describe('a view that is asked for while things change', () => {
  it('is that of the moment at which it was asked for', async () => {
    const { session } = await begun({ toolResults: 'compact' })
    session.startTurn()
    session.appendItems([userSays('read'), modelSays('I read'), userSays('a'), toolCall('a'), toolResult('a', 'RAW')])
    session.applyCompaction(toyRecord('first', 1))
    await session.view()
    const asked = session.view()
    session.applyCompaction({ ...toyRecord('second', 2), after: 'first' })
    const [view] = await Promise.all([asked, session.endTurn('answered')])
    expect(JSON.stringify(view)).toContain('first')
    expect(JSON.stringify(view)).toContain('I read')
    expect(JSON.stringify(await session.view())).not.toMatch(/first|I read|RAW/)
  })
})
