import type { ClientFormat } from '../client-format.ts'
import { isFields } from '../json-fields.ts'
import { LangSmithReader } from './langsmith-reader.ts'
import { isRun } from './langsmith-run.ts'

/** Runs as LangSmith exports them: one with the runs below it, a list, or a line for each. */
export const langSmithFormat: ClientFormat = {
  name: 'langsmith',
  client: 'LangSmith',
  isDocument: (value) =>
    Array.isArray(value) ? value.some((run) => isFields(run) && isRun(run)) : isFields(value) && isRun(value),
  isPiece: isRun,
  reader: (skipped, { session }) => new LangSmithReader(skipped, session),
}
