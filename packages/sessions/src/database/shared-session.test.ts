import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anthropicMessages } from 'palimpsest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyChain } from '../log/entry-chain.ts'
import { foldEntries } from '../log/fold-session.ts'
import { Session } from '../log/session.ts'
import { bundleChild, runChild } from './crash-children.test-data.ts'
import { openDatabase, type SessionDatabase } from './open-database.ts'
import { SHARED, type SharedJob, type SharedLine } from './shared-child.test-data.ts'
import { type TestDatabases, testDatabases } from './test-databases.test-data.ts'

const PROCESSES = 8
const TURNS = 5

let folder: string
let program: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-shared-'))
  program = await bundleChild(join(import.meta.dirname, 'shared-child.test-data.ts'), folder)
})
afterAll(() => rm(folder, { recursive: true }))

for (const databases of await testDatabases()) {
  const { name, skip } = databases
  describe.skipIf(skip)(skip ?? name, () => {
    it(`E6 ${PROCESSES} processes that take turns in one session lose and double no message`, async () => {
      await withDatabase(databases, async (database, url) => {
        await Session.create(database.sessions(), SHARED, { dialect: anthropicMessages })
        await runTogether({ url, turns: TURNS })
        const log = await database.sessions().read(SHARED)
        expect(verifyChain(log)).toBeUndefined()
        const { snapshot, messages } = foldEntries(log)
        expect(snapshot).toMatchObject({ turn: PROCESSES * TURNS, turnOpen: false, running: [] })
        const said = messages.map(({ item }) => (item as { content: string }).content)
        const asked = said.filter((_, position) => position % 2 === 0)
        // a turn is one question with its answer: nobody else's words are in it
        expect(said).toEqual(asked.flatMap((text) => [text, text.replace('asks', 'is told')]))
        for (const who of names()) {
          const own = asked.filter((text) => text.startsWith(`${who} `))
          expect(own).toEqual(Array.from({ length: TURNS }, (_, turn) => `${who} asks ${turn}`))
        }
        expect(asked).toHaveLength(PROCESSES * TURNS)
      })
    })

    it(`E6 ${PROCESSES} processes that compact one conversation at once make one summary, and send the same`, async () => {
      await withDatabase(databases, async (database, url) => {
        const store = database.sessions()
        const session = await Session.create(store, SHARED, { dialect: anthropicMessages })
        session.appendItems(longConversation())
        await session.commit()
        const calls = join(folder, `${name}.calls`)
        const sent = await runTogether({ url, calls })
        expect(sent).toHaveLength(PROCESSES)
        expect(new Set(sent).size).toBe(1)
        expect(sent[0]).toContain('/conversation_history/')
        expect((await readFile(calls, 'utf8')).trim().split('\n')).toHaveLength(1)
        const log = await store.read(SHARED)
        expect(verifyChain(log)).toBeUndefined()
        expect(log.filter(({ type }) => type === 'compaction-applied')).toHaveLength(1)
        const { snapshot } = foldEntries(log)
        expect(snapshot).toMatchObject({ length: longConversation().length, turn: PROCESSES, compactions: 1 })
        expect(await store.find(SHARED)).toMatchObject({ compactions: 1 })
        expect(JSON.stringify(await (await Session.open(store, SHARED)).view())).toBe(
          JSON.stringify(messagesOf(sent[0])),
        )
      })
    })
  })
}

async function withDatabase(
  databases: TestDatabases,
  run: (database: SessionDatabase, url: string) => Promise<void>,
): Promise<void> {
  const { url, remove } = await databases.create()
  try {
    const database = await openDatabase(url)
    await run(database, url).finally(() => database.close())
  } finally {
    await remove()
  }
}

/** All processes begin when the last of them is ready. Gives what they sent. */
async function runTogether(job: Omit<SharedJob, 'name'>): Promise<readonly string[]> {
  let begin = (): void => {}
  const start = new Promise<void>((resolve) => {
    begin = resolve
  })
  let ready = 0
  const onLine = (line: SharedLine) => {
    if ('ready' in line && ++ready === PROCESSES) begin()
  }
  const children = names().map((name) =>
    runChild<SharedJob, SharedLine>(program, { ...job, name }, { start, onLine }).finally(begin),
  )
  const ends = await Promise.all(children)
  return ends.flatMap(({ lines }) => lines.flatMap((line) => ('sent' in line ? [line.sent] : [])))
}

function names(): readonly string[] {
  return Array.from({ length: PROCESSES }, (_, n) => `p${n}`)
}

function longConversation(): readonly object[] {
  const file = (n: number) => Array.from({ length: 40 }, (_, line) => `src/part-${n}.ts:${line}: const v${line} = ${n}`)
  return Array.from({ length: 9 }, (_, n) => [
    { role: 'user', content: `Look at this, number ${n}:\n${file(n).join('\n')}` },
    { role: 'assistant', content: `Part ${n} is good.` },
  ])
    .flat()
    .slice(0, -1)
}

function messagesOf(request: string | undefined): unknown {
  return (JSON.parse(request ?? '{}') as { messages?: unknown }).messages
}
