import { readSync, writeSync } from 'node:fs'

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

/** Stands still, with all that runs in this process, until the parent answers. */
export function untilAnswered(): void {
  readSync(0, Buffer.alloc(1))
}
