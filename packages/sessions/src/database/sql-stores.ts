import type { Stores } from 'palimpsest'
import type { LimitMemory } from 'palimpsest/stores'
import { SqlArtifacts } from './sql-artifacts.ts'
import type { SqlDatabase } from './sql-database.ts'
import { SqlHistory } from './sql-history.ts'
import { SqlLimits } from './sql-limits.ts'
import { SqlRecords } from './sql-records.ts'

/** Everything a compactor stores with, in one database, for any number of processes and machines. */
export function sqlStores(database: SqlDatabase, memory: Pick<LimitMemory, 'forgetAfter'> = {}): Stores {
  return {
    records: new SqlRecords(database),
    artifacts: new SqlArtifacts(database),
    history: new SqlHistory(database),
    limits: new SqlLimits(database, memory),
  }
}
