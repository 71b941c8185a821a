import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import { reason } from '../written-file.ts'

const VARIABLE = 'PALIMPSEST_SECRET'

/** A secret for this process alone. */
export function randomSecret(): string {
  return randomBytes(32).toString('hex')
}

/**
 * The secret under which namespaces are derived: from the environment, else from this private file, which is made once, else
 * one for this process alone.
 * @throws PalimpsestError `effect-failed` for a file that cannot be used.
 */
export async function namespaceSecret(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  return givenSecret(env) ?? (file === undefined ? randomSecret() : secretIn(file))
}

/** The secret that the environment names. */
export function givenSecret(env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  return env[VARIABLE] || undefined
}

async function secretIn(path: string): Promise<string> {
  try {
    return (await secretAt(path)) ?? (await makeSecret(path))
  } catch (cause) {
    throw new PalimpsestError('effect-failed', `${path} cannot be read or made: ${reason(cause)}.`, {
      hint: `Give --store a place that is yours, or set ${VARIABLE}.`,
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
async function makeSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
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
