import type { Client, QueryResult } from 'pg'
import type { LockKeeper } from './named-lock.ts'
import type { PostgresServer } from './postgres-dialect.ts'
import { asking } from './sql-database.ts'
import { digestOf } from './stored-text.ts'

/** Locks of a PostgreSQL server, and the connection that holds them. */
export interface PostgresLocks extends LockKeeper {
  /** Lets all of them go. */
  close(): Promise<void>
}

/**
 * Advisory locks on one connection of their own: the server lets them go when it breaks, so when the process dies. One
 * connection may take a lock twice, so only one caller of this process may ask for a name at a time.
 */
export function postgresLocks({
  connect,
  schema,
  name,
}: Pick<PostgresServer, 'connect' | 'schema' | 'name'>): PostgresLocks {
  let connection: Promise<Client> | undefined
  // a connection takes one statement at a time
  let last: Promise<unknown> = Promise.resolve()

  function connected(): Promise<Client> {
    connection ??= connect().then(
      (client) => client.once('end', drop),
      (error) => {
        drop()
        throw error
      },
    )
    return connection
  }

  function drop(): void {
    connection = undefined
  }

  function ask(sql: string, lock: string): Promise<QueryResult<{ taken?: boolean }>> {
    const asked = last.then(() =>
      asking(name, undefined, async () => (await connected()).query(sql, [lockNumber(schema, lock)])),
    )
    last = asked.catch(forget)
    return asked
  }

  return {
    async take(name) {
      const { rows } = await ask('select pg_try_advisory_lock($1::bigint) as taken', name)
      return rows[0]?.taken === true
    },
    async release(name) {
      await ask('select pg_advisory_unlock($1::bigint)', name)
    },
    async close() {
      const client = await connection?.catch(forget)
      await client?.end()
    },
  }
}

/** 64 bits, as the server wants them. */
function lockNumber(schema: string, name: string): string {
  return BigInt.asIntN(64, BigInt(`0x${digestOf(schema, name).slice(0, 16)}`)).toString()
}

function forget(): void {}
