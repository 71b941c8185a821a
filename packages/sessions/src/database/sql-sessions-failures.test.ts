import { anthropicMessages, type CompactorEvent, createCompactor, DEFAULT_PRESET } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { verifyChain } from '../log/entry-chain.ts'
import { foldEntries } from '../log/fold-session.ts'
import { Session } from '../log/session.ts'
import type { SessionStore } from '../log/session-store.ts'
import { withDatabase } from './crash-databases.test-data.ts'
import type { WatchStatement } from './crash-statements.test-data.ts'
import { testDatabases } from './test-databases.test-data.ts'

const FAULT = new Error('The disk is full.')
const N = 12

/** Where a write fails in its middle: a statement, and the moment of it. */
const MIDDLES = [
  { name: 'before its entries are written', when: 'before', sql: /^insert into "entries"/ },
  { name: 'when its entries are written', when: 'after', sql: /^insert into "entries"/ },
  { name: 'before it is confirmed', when: 'before', sql: /^commit/ },
] as const

for (const databases of await testDatabases()) {
  const { name, skip } = databases
  describe.skipIf(skip)(skip ?? name, () => {
    it.each(MIDDLES)('CF-23 messages added while a commit is under way that fails $name', async ({ when, sql }) => {
      const fault = faultAt(when, sql)
      await withDatabase(databases, fault.watch, async (database) => {
        const store = database.sessions()
        const session = await Session.create(store, 's', { dialect: anthropicMessages })
        session.appendItems(says('original', 3))
        await session.commit()
        session.appendItems(says('replaced', 3))
        fault.arm()
        const failing = session.commit()
        const others = says('added', N).map(async (item) => {
          session.appendItems([item])
          await session.commit()
        })
        // the first fault is what the caller is told
        await expect(failing).rejects.toMatchObject({ code: 'effect-failed', cause: FAULT })
        await Promise.all(others)
        await expectTexts(store, [...texts('original', 3), ...texts('replaced', 3), ...texts('added', N)])
      })
    })

    it('CF-23 messages added while a compaction is under way whose record cannot be stored', async () => {
      const fault = faultAt('after', /^insert into "records"/)
      await withDatabase(databases, fault.watch, async (database) => {
        const store = database.sessions()
        const session = await Session.create(store, 's', { dialect: anthropicMessages })
        session.appendItems(says('original', 9))
        await session.commit()
        const events: CompactorEvent[] = []
        const added: Promise<void>[] = []
        const compactor = createCompactor({
          dialect: anthropicMessages,
          window: 100_000,
          preset: { ...DEFAULT_PRESET, rungs: [{ strategy: 'summarizeOlder' }] },
          stores: database.stores,
          onEvent(event) {
            events.push(event)
            if (event.type !== 'summarizer-called') return
            for (const item of says('added', N)) {
              session.appendItems([item])
              added.push(session.commit())
            }
          },
        })
        const before = await session.transcript()
        const request = { model: 'm', max_tokens: 100, messages: before } as Parameters<typeof compactor.prepare>[0]
        fault.arm()
        const prepared = await compactor.compactNow(request, 'manual', { session: 's' })
        await Promise.all(added)
        expect(prepared).toMatchObject({ compacted: false, request })
        const failures = events.flatMap((event) => (event.type === 'compaction-failed' ? [event.error] : []))
        expect(failures).toMatchObject([{ code: 'effect-failed', cause: FAULT }])
        await expectTexts(store, [...texts('original', 9), ...texts('added', N)])
        expect(await session.view()).toEqual(await session.transcript())
        // and it can be made again
        const again = await compactor.compactNow(request, 'manual', { session: 's' })
        expect(again.compacted).toBe(true)
      })
    })
  })
}

/** A fault of the database, once, at the first such statement after it is armed. */
function faultAt(moment: string, statement: RegExp): { readonly watch: WatchStatement; arm(): void } {
  let isArmed = false
  return {
    arm() {
      isArmed = true
    },
    watch(when, { sql }) {
      if (!isArmed || when !== moment || !statement.test(sql)) return
      isArmed = false
      throw FAULT
    },
  }
}

function texts(what: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${what} ${n}: ${'something to read, '.repeat(100)}`)
}

function says(what: string, count: number): readonly object[] {
  return texts(what, count).map((content, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content }))
}

async function expectTexts(store: SessionStore, expected: readonly string[]): Promise<void> {
  const log = await store.read('s')
  expect(verifyChain(log)).toBeUndefined()
  expect(foldEntries(log).messages.map(({ item }) => (item as { content: string }).content)).toEqual(expected)
}
