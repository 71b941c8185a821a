import { describe, expect, it } from 'vitest'
import { Session } from '../log/session.ts'
import { withDatabase } from './crash-databases.test-data.ts'
import { bytesOf, CrashAgent, NAMESPACE, SESSION } from './crash-session.test-data.ts'
import type { SessionDatabase } from './open-database.ts'
import { testDatabases } from './test-databases.test-data.ts'

for (const databases of await testDatabases()) {
  const { name, skip } = databases
  describe.skipIf(skip)(skip ?? name, () => {
    it('BB-19 a rewind to before a compaction shows originals, to after it the summary, and a fork sends the same', async () => {
      await withDatabase(databases, forget, async (database) => {
        const { session, transcript, compactions, firstResult, sent } = await compactedTwice(database)
        const end = session.place.seq
        // the last one on the way counts
        const latest = await expectSameEverywhere(database, session)
        expect(session.snapshot.record?.key).toBe(compactions[1]?.record.key)

        await session.rewind(firstResult)
        expect(await session.view()).toEqual(transcript.slice(0, 3))
        expect(session.snapshot.record).toBeUndefined()
        const originals = await expectSameEverywhere(database, session)
        expect(originals).not.toContain('/conversation_history/')
        expect(originals).toBe(sent[1])

        for (const { seq, record, request } of compactions) {
          await session.rewind(seq)
          expect(session.snapshot.record?.key).toBe(record.key)
          expect(await expectSameEverywhere(database, session)).toBe(request)
        }
        await session.rewind(end)
        expect(await session.transcript()).toEqual(transcript)
        expect(await expectSameEverywhere(database, session)).toBe(latest)
      })
    })

    it('BB-19 a branch from before a compaction goes on with originals, one from after it with the summary', async () => {
      await withDatabase(databases, forget, async (database) => {
        const { transcript, compactions, firstResult } = await compactedTwice(database)
        const store = database.sessions(NAMESPACE)
        await store.fork(SESSION, 'before', { until: firstResult + 1 })
        const before = await Session.open(store, 'before')
        expect(await before.view()).toEqual(transcript.slice(0, 3))
        for (const { seq, record, request } of compactions) {
          const branch = `after ${seq}`
          await store.fork(SESSION, branch, { until: seq + 1 })
          const after = await Session.open(store, branch)
          expect(after.snapshot.record).toEqual(record)
          expect(await expectSameEverywhere(database, after)).toBe(request)
        }
      })
    })
  })
}

/** A session with two compactions, each with the request that went out right behind it. */
async function compactedTwice(database: SessionDatabase) {
  const agent = await CrashAgent.open({ sessions: database.sessions(NAMESPACE), stores: database.stores })
  await agent.run()
  const { session, sent } = agent
  const log = await database.sessions(NAMESPACE).read(SESSION)
  const compactions = log.flatMap((entry) => {
    if (entry.type !== 'compaction-applied') return []
    const answered = log.filter(({ type, seq }) => type === 'usage-recorded' && seq < entry.seq).length
    return [{ seq: entry.seq, record: entry.record, request: sent[answered] }]
  })
  expect(compactions).toHaveLength(2)
  const result = log.find((entry) => entry.type === 'message-appended' && entry.position === 2)
  return { session, sent, transcript: await session.transcript(), compactions, firstResult: result?.seq ?? 0 }
}

let forks = 0

/** The next request: the same of the session, of one that is opened anew, and of a fork; and its view is what the log says. */
async function expectSameEverywhere(database: SessionDatabase, session: Session): Promise<string> {
  const store = database.sessions(NAMESPACE)
  const fork = `fork ${forks++}`
  await store.fork(session.id, fork)
  const all = [session, await Session.open(store, session.id), await Session.open(store, fork)]
  const views = await Promise.all(all.map(async (one) => JSON.stringify(await one.view())))
  expect(new Set(views).size).toBe(1)
  const requests: string[] = []
  for (const one of all) requests.push(bytesOf(await new CrashAgent(one, database.stores).nextRequest()))
  expect(new Set(requests).size).toBe(1)
  return requests[0] ?? ''
}

function forget(): void {}
