// Brings a clone to the point where its commands run: dependencies installed, packages built. Does only what is missing
// or stale, says each thing it does in one line on standard error, and needs nothing but Node and npm.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Installs and builds what is missing or stale. False when a step failed; its output has been shown. */
export function prepare(folder = root) {
  return install(folder) && build(folder)
}

/** Runs `npm ci` when `node_modules` is not what the lock file says. */
export function install(folder = root) {
  return doOnce(
    folder,
    () => whyInstall(folder),
    (reason) => {
      say(`installing dependencies with npm ci (${reason})`)
      return runQuietly('npm ci', npmCommand(['ci', '--include=dev', '--no-audit', '--no-fund']), folder)
    },
  )
}

/** Runs `tsc -b` when a source is newer than its build or a built file is missing. */
function build(folder) {
  return doOnce(
    folder,
    () => whyBuild(folder),
    ({ text, force }) => {
      say(`building the packages with tsc -b (${text})`)
      return runQuietly('tsc -b', tscCommand(folder, force ? ['--force'] : []), folder)
    },
  )
}

/**
 * Does a thing while there is a reason to, and only in one process at a time: tests and a person may start together, and
 * who waited finds it done.
 */
function doOnce(folder, why, act) {
  if (why() === undefined) return true
  const release = takeTurn(folder)
  try {
    const reason = why()
    return reason === undefined || act(reason)
  } finally {
    release()
  }
}

const lookEveryMs = 100

/** Waits until no other process prepares this folder, and keeps others waiting until the result is called. */
function takeTurn(folder) {
  const mark = join(folder, '.palimpsest/preparing')
  mkdirSync(dirname(mark), { recursive: true })
  for (;;) {
    try {
      writeFileSync(mark, String(process.pid), { flag: 'wx' })
      return () => rmSync(mark, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isOrphaned(mark)) rmSync(mark, { force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookEveryMs)
  }
}

/** A process that was stopped in the middle leaves its mark behind. */
function isOrphaned(mark) {
  const pid = Number(existsSync(mark) ? readFileSync(mark, 'utf8') : 0)
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** The command that builds and type-checks every package. */
export function tscCommand(folder = root, options = []) {
  return [process.execPath, join(folder, 'node_modules/@typescript/native/bin/tsc'), '-b', ...options]
}

/** Why `npm ci` must run, in a few words; undefined when `node_modules` matches the lock file. */
export function whyInstall(folder = root) {
  const wanted = readJson(join(folder, 'package-lock.json'))?.packages
  if (wanted === undefined) return 'package-lock.json cannot be read'
  const installed = readJson(join(folder, 'node_modules/.package-lock.json'))?.packages
  if (installed === undefined) return 'nothing is installed yet'
  return lockDifference(wanted, installed) ?? missingFolder(folder, installed)
}

/**
 * The first difference between the lock file and what npm wrote down after its last installation. Optional packages may
 * be absent (other platforms' binaries); one that is there for another platform means the folder came from elsewhere.
 */
export function lockDifference(wanted, installed, platform = process.platform) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || (entry.optional && installed[path] === undefined)) continue
    if (!samePackage(entry, installed[path])) return `${shortName(path)} is missing or of another version`
  }
  for (const [path, entry] of Object.entries(installed)) {
    if (wanted[path] === undefined) return `${shortName(path)} is no longer asked for`
    const systems = entry.os?.filter((name) => !name.startsWith('!')) ?? []
    if (systems.length > 0 && !systems.includes(platform)) return `${shortName(path)} is for another platform`
  }
  return undefined
}

function samePackage(wanted, installed) {
  if (installed === undefined) return false
  return ['version', 'integrity', 'link'].every((key) => wanted[key] === installed[key])
}

function shortName(path) {
  return path.replace(/^.*node_modules\//, '')
}

function missingFolder(folder, installed) {
  const absent = Object.keys(installed).find((path) => !existsSync(join(folder, path)))
  return absent === undefined ? undefined : `${shortName(absent)} is gone from node_modules`
}

/** Why the packages must be built; `force` when `tsc -b` would not see it by itself. Undefined when the build is fresh. */
export function whyBuild(folder = root) {
  for (const name of packageFolders(folder)) {
    const home = join(folder, 'packages', name)
    const stamp = modified(join(home, 'dist/.tsbuildinfo'))
    if (stamp === undefined) return { text: `${name} is not built yet`, force: false }
    if (endedBadly(join(home, 'dist/.tsbuildinfo')))
      return { text: `the last build of ${name} had errors`, force: false }
    const sources = filesBelow(join(home, 'src')).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    const gone = sources.find((file) => !existsSync(outputOf(home, file)))
    const settings = [join(home, 'tsconfig.json'), join(folder, 'tsconfig.base.json')]
    const newer = [...sources, ...settings].find((file) => (modified(file) ?? 0) > stamp)
    if (newer !== undefined) return { text: `${relativeName(folder, newer)} is newer than its build`, force: false }
    if (gone !== undefined) return { text: `${relativeName(folder, outputOf(home, gone))} is missing`, force: true }
  }
  return undefined
}

/** `tsc -b` emits and stamps a build that has errors; it also writes them down. */
function endedBadly(buildInfo) {
  const noted = readJson(buildInfo) ?? { errors: true }
  return ['errors', 'semanticDiagnosticsPerFile', 'emitDiagnosticsPerFile', 'affectedFilesPendingEmit'].some(
    (key) => noted[key] !== undefined,
  )
}

/** Folders under `packages/` that `tsc -b` builds. */
export function packageFolders(folder = root) {
  return readdirSync(join(folder, 'packages')).filter((name) =>
    existsSync(join(folder, 'packages', name, 'tsconfig.json')),
  )
}

function outputOf(home, source) {
  return join(home, 'dist', source.slice(join(home, 'src').length + 1).replace(/\.ts$/, '.js'))
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function relativeName(folder, file) {
  return file.slice(folder.length + 1).replaceAll('\\', '/')
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** npm by the path that runs us, where npm runs us: the `npm` on the path may be another one, or a .cmd file. */
function npmCommand(parts) {
  const own = process.env.npm_execpath
  if (own?.endsWith('.js')) return [process.execPath, own, ...parts]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', ...parts]
}

/** Runs a command in silence; when it fails, shows all it said. */
function runQuietly(name, [program, ...parts], folder) {
  const result = spawnSync(program, parts, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    shell: program.endsWith('.cmd'),
  })
  if (result.status === 0) return true
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  say(`${name} failed${result.error === undefined ? '' : `: ${result.error.message}`}`)
  return false
}

function say(line) {
  process.stderr.write(`palimpsest: ${line}\n`)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = prepare() ? 0 : 1
}
