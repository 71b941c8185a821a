import { FilesLeft } from './crash-files.test-data.ts'
import { ownJob, tellParent, untilAnswered } from './crash-job.test-data.ts'
import { CrashAgent, NAMESPACE, withAppend } from './crash-session.test-data.ts'
import { type StatementMoment, watchedDatabase } from './crash-statements.test-data.ts'

/** A moment at which a process dies: of its n-th statement, counted from 0 once the database is open. */
export interface KillPoint {
  readonly at: number
  readonly when: StatementMoment
}

export interface ChildJob {
  readonly url: string
  /** None: it lives. */
  readonly point?: KillPoint
  /** Where to keep what a death at any moment would leave of a SQLite database. */
  readonly copies?: string
  /** Stand still at every moment at which nothing is on its way, so that others can look at the database. */
  readonly pauses?: true
}

/**
 * What the child says: the last entry that a call confirmed; the copy of what it would leave if it died now; that it stands
 * still; in the end all statements.
 */
export type ChildLine =
  | { readonly confirmed: number }
  | { readonly left: string }
  | { readonly pause: StatementMoment }
  | { readonly statements: readonly string[] }

/** Goes on with a session until all its turns are over, or the process is killed. */
async function runUntilKilled({ url, point, copies, pauses }: ChildJob): Promise<void> {
  const statements: string[] = []
  let first: number | undefined
  let opening = 0
  const files = copies === undefined ? undefined : new FilesLeft(url, copies)
  const database = await watchedDatabase(url, (when, { number, sql }) => {
    opening = number + 1
    if (first === undefined) return
    if (when === 'before') statements.push(sql)
    if (files !== undefined) say({ left: files.copy() })
    if (pauses && when !== 'sent') {
      say({ pause: when })
      untilAnswered()
    }
    if (point?.when === when && number - first === point.at) process.kill(process.pid, 'SIGKILL')
  })
  first = opening
  const store = database.sessions(NAMESPACE)
  const sessions = withAppend(store, async (session, entries, options) => {
    await store.append(session, entries, options)
    say({ confirmed: entries.at(-1)?.seq ?? 0 })
  })
  const agent = await CrashAgent.open({ sessions, stores: database.stores })
  await agent.run()
  say({ statements })
  await database.close()
}

function say(line: ChildLine): void {
  tellParent(line)
}

const job = ownJob<ChildJob>()
if (job !== undefined) await runUntilKilled(job)
