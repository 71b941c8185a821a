import { join } from 'node:path'
import type { ClientFormat } from '../client-format.ts'
import { type Fields, isFields } from '../json-fields.ts'
import { CopilotCliReader } from './copilot-cli-reader.ts'

/** Event logs of GitHub Copilot CLI. */
export const copilotCliFormat: ClientFormat = {
  name: 'copilot-cli',
  client: 'Copilot CLI',
  isLine: isCopilotEvent,
  reader: (skipped) => new CopilotCliReader(skipped),
  places: (home, environment) => [
    {
      folder: join(environment.COPILOT_HOME || join(home, '.copilot'), 'session-state'),
      depth: 1,
      // A folder for each session; older versions had a file for each.
      isSession: (name) => name === 'events.jsonl' || /^[0-9a-f]{8}-[0-9a-f-]{27}\.jsonl$/.test(name),
    },
  ],
}

/** Every event names the one before it, the first one `null`. */
function isCopilotEvent({ type, data, id, parentId }: Fields): boolean {
  if (typeof type !== 'string' || !isFields(data) || typeof id !== 'string') return false
  const isLinked = parentId === null || typeof parentId === 'string'
  return isLinked && (type === 'abort' || /^[a-z_]+\.[a-z_]+$/.test(type))
}
