import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PalimpsestError } from 'palimpsest'
import { foldersUpTo, repositoryRoot } from '../folders/repository.ts'
import { withoutSecrets } from './without-secrets.ts'

/** The names that a file of configuration may have. */
export const CONFIG_FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `palimpsest.config.${ending}`)

/**
 * The nearest configuration file from this folder up to the root of its repository; outside of one, in this folder alone.
 * @throws PalimpsestError `invalid-input` for two of them in one folder, and for another user's file in a folder above.
 */
export async function projectConfigFile(cwd: string): Promise<string | undefined> {
  const here = resolve(cwd)
  for (const folder of foldersUpTo(here, await repositoryRoot(here))) {
    const found = await configFileIn(folder)
    if (found === undefined) continue
    if (folder !== here) await refuseForeign(found)
    return found
  }
  return undefined
}

/** The configuration file in this folder. @throws PalimpsestError `invalid-input` for two of them. */
export async function configFileIn(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  const found = CONFIG_FILE_NAMES.filter((name) => names.includes(name))
  if (found.length > 1) {
    throw unusable(
      `${folder} holds ${found.join(' and ')}.`,
      'Keep one of them: there is one configuration for a folder.',
    )
  }
  return found[0] === undefined ? undefined : join(folder, found[0])
}

/**
 * What this file exports as `default`, or holds as JSON.
 * @throws PalimpsestError `invalid-input` or `not-found` that names file and place.
 */
export async function readConfigFile(path: string): Promise<unknown> {
  if (extname(path) === '.json') return readJson(path)
  await expectFile(path)
  const module = await runModule(path)
  if (module === null || typeof module !== 'object' || !('default' in module)) {
    throw unusable(`${path} exports no default.`, EXPORT_HINT)
  }
  return module.default
}

const EXPORT_HINT = "It wants: export default { model: 'anthropic:claude-sonnet-5' }"

/** A file above was not looked at by whoever stands here, and its code would run: git has the same rule. */
async function refuseForeign(path: string): Promise<void> {
  const owner = (await stat(path).catch(() => undefined))?.uid
  const user = process.getuid?.()
  if (owner === undefined || user === undefined || owner === user || owner === 0) return
  throw unusable(
    `${path} belongs to another user, and lies above the current folder.`,
    'Name it with --config to use it.',
  )
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause) => refuseUnread(path, cause))
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw unusable(`${path} is not JSON: ${withoutSecrets((cause as Error).message)}.`, undefined, cause)
  }
}

async function expectFile(path: string): Promise<void> {
  const found = await stat(path).catch((cause) => refuseUnread(path, cause))
  if (!found.isFile()) throw unusable(`${path} is no file.`)
}

function refuseUnread(path: string, cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT') throw new PalimpsestError('not-found', `There is no file ${path}.`, { cause })
  throw unusable(`${path} cannot be read (${code}).`, undefined, cause)
}

/** The file that gives `defineConfig`, beside this one, as source or built. */
const DEFINE_CONFIG = fileURLToPath(new URL(`./agent-config${extname(import.meta.url)}`, import.meta.url))

/** The compiler of TypeScript is large: whoever has no such file does not load it. */
async function runModule(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  const jiti = createJiti(path, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    // a command that is installed once for all has no package in the project
    alias: { '@palimpsest/agent': DEFINE_CONFIG },
  })
  try {
    return await jiti.import(path)
  } catch (cause) {
    throw unusable(`${path} cannot be used: ${failureOf(cause, path)}.`, undefined, cause)
  }
}

/** The message on one line, and the place in the file where its stack names one. */
function failureOf(failure: unknown, path: string): string {
  const isError = failure instanceof Error
  const message = withoutSecrets(isError ? failure.message : String(failure))
    .replace(/\s+/g, ' ')
    .trim()
  const stack = isError ? (failure.stack ?? '') : ''
  const at = stack.indexOf(`${path}:`)
  const [place] = at < 0 ? [] : (/^:\d+(?::\d+)?/.exec(stack.slice(at + path.length)) ?? [])
  const said = message.replace(/\.$/, '')
  return place === undefined || message.includes(`${path}${place}`) ? said : `${said} (${path}${place})`
}

function unusable(message: string, hint?: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError('invalid-input', message, {
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
  })
}
