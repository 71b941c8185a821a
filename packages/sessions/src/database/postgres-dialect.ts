import { CompiledQuery, type Dialect, PostgresDialect } from 'kysely'
import { PalimpsestError } from 'palimpsest'
import type { Client, ClientConfig, Pool } from 'pg'
import type { PostgresOptions } from './postgres-options.ts'

/** A server's database: a pool of connections, and how to make one beside it. */
export interface PostgresServer {
  readonly pool: Pool
  /** The address without user, password and options: what may be told. */
  readonly name: string
  readonly schema: string
  /** A connection that no pool gives to anybody else. */
  connect(): Promise<Client>
}

/**
 * Makes connections to a PostgreSQL database on first use, by the package `pg`.
 * @throws PalimpsestError `invalid-input` for what is no address, `not-found` where the package is not installed. No message
 * has the password in it.
 */
export async function findPostgres(url: string, options: PostgresOptions = {}): Promise<PostgresServer> {
  const { poolSize = 10, schema = 'palimpsest', connectTimeout = 10_000 } = options
  const name = publicName(url)
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new PalimpsestError('not-found', 'A PostgreSQL database needs the package pg, which is not there.', {
      hint: 'Install pg, or name a file for SQLite.',
      cause,
    })
  })
  const config = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    application_name: 'palimpsest',
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
    },
  }
  const LeavingClient = leavingClient(pg.Client)
  const pool = new pg.Pool({ ...config, max: poolSize, Client: LeavingClient })
  // one that breaks is replaced by the next call; the pool itself hears only of those that nobody uses
  pool.on('error', forget)
  pool.on('connect', (client) => client.on('error', forget))
  return {
    pool,
    name,
    schema,
    async connect() {
      const client = new LeavingClient(config)
      client.on('error', forget)
      await client.connect()
      return client
    },
  }
}

/** A client that hangs up where it cannot log in: `pg` leaves that to the server, and the process would wait with it. */
function leavingClient(PgClient: typeof Client): typeof Client {
  return class extends PgClient {
    constructor(config?: string | ClientConfig) {
      super(config)
      this.connection.once('error', () => this.connection.stream.destroy())
    }
  }
}

/** Kysely over the pool, with its tables in the server's schema. */
export function postgresDialect({ pool, schema }: PostgresServer): Dialect {
  return new PostgresDialect({
    pool,
    onCreateConnection: async (connection) => {
      await connection.executeQuery(CompiledQuery.raw(`set search_path to ${quoted(schema)}`))
    },
  })
}

/**
 * Asks the server whether it answers, and makes the schema where there is none.
 * @throws PalimpsestError `effect-failed` where it does not answer or refuses, `invalid-input` where its texts are not Unicode.
 */
export async function prepareServer({ pool, name, schema }: PostgresServer): Promise<void> {
  try {
    const { rows } = await pool.query<{ encoding: string; there: boolean }>(
      `select current_setting('server_encoding') as encoding,
        exists (select from pg_namespace where nspname = $1) as there`,
      [schema],
    )
    if (rows[0]?.encoding !== 'UTF8') {
      throw new PalimpsestError('invalid-input', `The database ${name} keeps its texts as ${rows[0]?.encoding}.`, {
        hint: `Use a database with the encoding UTF8: create database … encoding 'UTF8' template template0.`,
      })
    }
    if (rows[0].there) return
    await pool.query(`create schema if not exists ${quoted(schema)}`).catch(unlessThereMeanwhile)
  } catch (error) {
    if (error instanceof PalimpsestError) throw error
    throw new PalimpsestError('effect-failed', `The PostgreSQL database ${name} cannot be used: ${reason(error)}`, {
      hint: NO_PASSWORD.test(String(error))
        ? PASSWORD_HINT
        : 'Check that the server runs, that the address, user and password are right, and that the user may create a schema.',
    })
  }
}

/** What of an address may be told. */
export function publicName(url: string): string {
  const { protocol, host, pathname } = parsed(url)
  return `${protocol}//${host}${pathname}`
}

function parsed(url: string): URL {
  // without the cause: it would quote the address, and the password in it
  if (/^\w+:\/\//.test(url) && URL.canParse(url)) return new URL(url)
  throw new PalimpsestError('invalid-input', 'The address of the PostgreSQL database is no URL.', {
    hint: 'Write postgres://user:password@host:5432/database, with special characters percent-encoded.',
  })
}

/** The object id of the type `bigint`: no number of ours is beyond what a JavaScript number tells exactly. */
const INT8 = 20
const DUPLICATE = new Set(['42P06', '23505'])

function unlessThereMeanwhile(error: unknown): void {
  if (!DUPLICATE.has((error as { code?: string }).code ?? '')) throw error
}

/** Of several addresses of one host that all refused, Node.js tells each in a part of its own. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ')
  if (NO_PASSWORD.test(String(error))) return 'it asks for a password, and none was given'
  return error instanceof Error ? error.message : String(error)
}

/** What `pg` says where it has none to send. */
const NO_PASSWORD = /client password must be a string/
const PASSWORD_HINT =
  'Give one in the address (postgres://user:password@host/database, percent-encoded), in PGPASSWORD or in ~/.pgpass.'

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function forget(): void {}
