import type { ClientFormat } from '../client-format.ts'
import { isEvent } from './openhands-event.ts'
import { isRun } from './openhands-file.ts'
import { OpenHandsReader } from './openhands-reader.ts'

/** Runs of OpenHands: results of an evaluation (a document, or a line for each), a saved trajectory, or lines of events. */
export const openHandsFormat: ClientFormat = {
  name: 'openhands',
  client: 'OpenHands',
  isLine: isEvent,
  isDocument: isRun,
  isPiece: isEvent,
  reader: (skipped, { session }) => new OpenHandsReader(skipped, session),
}
