import type { Client } from 'pg'
import type { LockKeeper } from './named-lock.ts'
import type { PostgresServer } from './postgres-dialect.ts'
import { digestOf } from './stored-text.ts'

/** Locks of a PostgreSQL server, and the connection that holds them. */
export interface PostgresLocks extends LockKeeper {
  /** Lets all of them go. */
  close(): Promise<void>
}

/**
 * Advisory locks on one connection of their own: the server lets them go when it breaks, so when the process dies. A server
 * lets one connection take a lock twice, so what this process holds is known here.
 */
export function postgresLocks({ connect, schema }: Pick<PostgresServer, 'connect' | 'schema'>): PostgresLocks {
  const held = new Set<string>()
  let connection: Promise<Client> | undefined

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

  return {
    async take(name) {
      if (held.has(name)) return false
      held.add(name)
      try {
        const client = await connected()
        const { rows } = await client.query('select pg_try_advisory_lock($1::bigint) as taken', [
          lockNumber(schema, name),
        ])
        if (rows[0]?.taken !== true) held.delete(name)
        return held.has(name)
      } catch (error) {
        held.delete(name)
        throw error
      }
    },
    async release(name) {
      try {
        const client = await connected()
        await client.query('select pg_advisory_unlock($1::bigint)', [lockNumber(schema, name)])
      } finally {
        held.delete(name)
      }
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
