import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@palimpsest/sessions/database'
import Database from 'libsql'
import { afterEach, expect, test } from 'vitest'
import { benches, calls, ofType, says } from './agent.test-data.ts'

const bench = benches()
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

test('E4 the loop writes the counters once per turn, at its end, over a two-turn run with a retried call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-counters-'))
  folders.push(folder)
  const file = join(folder, 'sessions.db')
  const database = await openDatabase(file)
  const written = countWrites(file)
  const { start, sessions, events } = await bench({
    sessions: database.sessions(),
    stores: database.stores,
    files: { 'a.txt': 'alpha\n'.repeat(20) },
    script: [calls(['read_file', { path: 'a.txt' }]), says('Read.'), says('Again.')],
    faults: [{ kind: '529', after: 1 }],
  })
  const agent = await start()
  expect(written.count()).toBe(0)
  await agent.send('Read it.')
  expect(ofType(events, 'retry')).toHaveLength(1)
  expect(written.count()).toBe(1)
  await agent.send('And again.')
  expect(written.count()).toBe(2)
  const { usage, lastInputTokens } = agent.session.snapshot
  expect(usage.chat.calls).toBe(3)
  expect(await sessions.find(agent.session.id)).toMatchObject({ lastInputTokens, compactions: 0 })
  // behind the last entry of the turn, and not before
  expect(written.types()).toEqual(['turn-ended', 'turn-ended'])
  written.close()
  await database.close()
})

/** Notes each write of the counters, and the newest entry of that moment, by a trigger in the database itself. */
function countWrites(file: string) {
  const database = new Database(file)
  database.exec(`
    create table counter_writes (type text);
    create trigger counter_writes after update of last_input_tokens, compactions on sessions begin
      insert into counter_writes select type from entries order by seq desc limit 1;
    end;
  `)
  const rows = () => database.prepare('select type from counter_writes').all() as { type: string }[]
  return {
    count: () => rows().length,
    types: () => rows().map(({ type }) => type),
    close: () => database.close(),
  }
}
