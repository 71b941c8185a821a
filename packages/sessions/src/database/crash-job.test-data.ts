import { writeSync } from 'node:fs'

/** The variable in which a child finds its job. */
export const JOB = 'PALIMPSEST_TEST_JOB'

/** The job of this process; undefined where it is no child. */
export function ownJob<Job>(): Job | undefined {
  const { [JOB]: job } = process.env
  return job === undefined ? undefined : (JSON.parse(job) as Job)
}

/** Tells the parent something: it is told before this returns. */
export function tellParent(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}
