import type { ClientFormat } from '../client-format.ts'
import { isFields } from '../json-fields.ts'
import { isTauRun, TauBenchReader } from './tau-bench-reader.ts'

/** Results of τ-bench: one run, a list of them, or a line for each. */
export const tauBenchFormat: ClientFormat = {
  name: 'tau-bench',
  client: 'tau-bench',
  isDocument: (value) => (Array.isArray(value) ? value.some(isTauRun) : isFields(value) && isTauRun(value)),
  isPiece: isTauRun,
  reader: (skipped, { session }) => new TauBenchReader(skipped, session),
}
