export type { OpenSqlite, SqliteConnection, SqliteStatement } from '../sqlite/sqlite-driver.ts'
export type { MigrationStep, MigrationTaken } from './migrate.ts'
export {
  type DatabaseMigrations,
  type DatabaseOptions,
  openDatabase,
  type SessionDatabase,
} from './open-database.ts'
export type { PostgresOptions } from './postgres-options.ts'
export type { NamedSession, RowFault } from './row-faults.ts'
export type { DatabaseKind } from './sql-database.ts'
