import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import { reason } from '../written-file.ts'

const VARIABLE = 'PALIMPSEST_SECRET'

/** A secret for this process alone. */
export function randomSecret(): string {
  return randomBytes(32).toString('hex')
}

/**
 * The secret under which namespaces are derived: from the environment, else from a private file in the folder of the stores,
 * which is made once, else one for this process alone.
 * @throws PalimpsestError `effect-failed` for a folder that cannot be used.
 */
export async function namespaceSecret(
  folder: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const given = env[VARIABLE] ?? ''
  if (given !== '') return given
  return folder === undefined ? randomSecret() : secretIn(folder)
}

async function secretIn(folder: string): Promise<string> {
  const path = join(folder, 'secret')
  try {
    return (await secretAt(path)) ?? (await makeSecret(folder, path))
  } catch (cause) {
    throw new PalimpsestError('effect-failed', `${path} cannot be read or made: ${reason(cause)}.`, {
      hint: `Give --store a folder that is yours, or set ${VARIABLE}.`,
      cause,
    })
  }
}

async function secretAt(path: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret === '') throw new Error('it is empty')
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Of two processes that start together one makes it, whole, and both take it. */
async function makeSecret(folder: string, path: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`
  await writeFile(draft, `${randomSecret()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await secretAt(path)) ?? ''
}
