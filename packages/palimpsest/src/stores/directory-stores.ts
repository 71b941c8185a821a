import { join } from 'node:path'
import { DirectoryArtifacts } from './directory-artifacts.ts'
import { DirectoryHistory } from './directory-history.ts'
import { DirectoryLimits } from './directory-limits.ts'
import { DirectoryRecords } from './directory-records.ts'
import type { LimitMemory } from './learned-limits.ts'
import type { Stores } from './ports.ts'

/**
 * Stores in a folder, for any number of processes of one machine. What a call confirmed survives a loss of power; a process
 * may die at any point. Folders and files are for their user only.
 *
 * @example const stores = directoryStores(join(homedir(), '.palimpsest'))
 */
export function directoryStores(folder: string, options: LimitMemory = {}): Stores {
  return {
    records: new DirectoryRecords(join(folder, 'records')),
    artifacts: new DirectoryArtifacts(join(folder, 'artifacts')),
    history: new DirectoryHistory(join(folder, 'history')),
    limits: new DirectoryLimits(join(folder, 'limits'), options),
  }
}
