import { join } from 'node:path'
import type { ClientFormat } from '../client-format.ts'
import { CodexReader } from './codex-reader.ts'
import { isCodexRecord } from './codex-record.ts'

/** Rollouts of Codex. */
export const codexFormat: ClientFormat = {
  name: 'codex',
  client: 'Codex',
  isLine: isCodexRecord,
  reader: (skipped) => new CodexReader(skipped),
  places: (home, environment) => {
    const codex = environment.CODEX_HOME || join(home, '.codex')
    const isSession = (name: string) => name.startsWith('rollout-') && name.endsWith('.jsonl')
    return ['sessions', 'archived_sessions'].map((folder) => ({ folder: join(codex, folder), depth: 3, isSession }))
  },
}
