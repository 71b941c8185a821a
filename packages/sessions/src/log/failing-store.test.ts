import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifyChain } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import { memorySessions } from './memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, userSays } from './session.test-data.ts'
import { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

const now = () => 1_700_000_000_000

/** How the next calls of a store end: as they should, refused, or done and not confirmed. */
type Fate = 'done' | 'refused' | 'unconfirmed'

class UnreliableStore {
  readonly store: SessionStore
  #fates: readonly Fate[] = []
  #next = 0

  constructor(inner: SessionStore) {
    const fated = async <Result>(run: () => Promise<Result>): Promise<Result> => {
      const fate = this.#fates[this.#next++] ?? 'done'
      if (fate === 'refused') throw new Error('The store is away.')
      const result = await run()
      if (fate === 'unconfirmed') throw new Error('The store did not confirm.')
      return result
    }
    this.store = {
      append: (session, entries, options) => fated(() => inner.append(session, entries, options)),
      find: (session, call) => fated(() => inner.find(session, call)),
      list: (options) => fated(() => inner.list(options)),
      read: (session, range) => fated(() => inner.read(session, range)),
      head: (session, call) => fated(() => inner.head(session, call)),
      checkpoint: (session, options) => fated(() => inner.checkpoint(session, options)),
      messages: (session, wanted) => fated(() => inner.messages(session, wanted)),
      fork: (session, into, options) => fated(() => inner.fork(session, into, options)),
      remove: (session, call) => fated(() => inner.remove(session, call)),
      alone: (name, run, call) => inner.alone(name, run, call),
    }
  }

  endAs(fates: readonly Fate[]): void {
    this.#fates = fates
    this.#next = 0
  }
}

const fates = fc.array(fc.constantFrom<Fate>('done', 'done', 'refused', 'unconfirmed'), { maxLength: 12 })

it('a store that fails at any call loses, doubles and mixes up nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(1), fc.constantFrom('turn', 'turn', 'rewind', 'open', 'view'), fates), {
        maxLength: 14,
      }),
      async (steps) => {
        const inner = memorySessions().open()
        const unreliable = new UnreliableStore(inner)
        const handles = [await Session.create(unreliable.store, 's', { dialect: anthropic, now })]
        handles.push(await Session.open(unreliable.store, 's', { now }))
        const said = new Set<string>()
        let isRewound = false
        for (const [n, [who, does, ends]] of steps.entries()) {
          const session = handles[who] as Session
          unreliable.endAs(ends)
          if (does === 'turn') await session.turn(() => oneTurn(session, n, said)).catch(ignored)
          if (does === 'view') await session.view().catch(ignored)
          if (does === 'rewind') await session.rewind(1 + (n % session.place.seq)).catch(ignored)
          isRewound ||= does === 'rewind'
          if (does === 'open' && session.place.seq === session.stored.seq) {
            handles[who] = await Session.open(unreliable.store, 's', { now }).catch(() => session)
          }
        }
        unreliable.endAs([])
        for (const session of handles) await session.turn(async () => undefined)
        const log = await inner.read('s')
        expect(verifyChain(log)).toBeUndefined()
        const texts = log.flatMap((entry) => (entry.type === 'message-appended' ? textsOf(entry.item) : []))
        for (const text of said) expect(texts.filter((one) => one === text)).toHaveLength(1)
        await agree(handles, inner)
        if (!isRewound && said.size > 0)
          expect(rulesBroken(foldEntries(log).messages.map(({ item }) => item as object))).toEqual([])
      },
    ),
    { numRuns: 150 },
  )
})

async function oneTurn(session: Session, n: number, said: Set<string>): Promise<void> {
  const say = (text: string) => {
    said.add(text)
    return text
  }
  session.appendItems([userSays(say(`ask ${n}`)), toolCall(`c${n}`)])
  await session.commit()
  session.appendItems([toolResult(`c${n}`, `result ${n}`), modelSays(say(`answer ${n}`))])
  await session.commit()
}

function textsOf(item: unknown): readonly string[] {
  const { content } = item as { readonly content: unknown }
  return typeof content === 'string' ? [content] : []
}

/** Everybody who asks has the same session in hand, and the log says the same. */
async function agree(handles: readonly Session[], store: SessionStore): Promise<void> {
  const folded = foldEntries(await store.read('s'))
  for (const session of handles) {
    await session.refresh()
    expect(session.snapshot).toEqual(folded.snapshot)
    expect(await session.transcript()).toEqual(folded.messages.map(({ item }) => item))
  }
}

function rulesBroken(messages: readonly object[]): readonly string[] {
  const tools = [{ name: 'read', input_schema: { type: 'object' } }]
  const { check, open } = anthropic
  return check(open({ model: 'm', max_tokens: 1, tools, messages })).map(({ rule, message }) => `${rule}: ${message}`)
}

function ignored(): void {}
