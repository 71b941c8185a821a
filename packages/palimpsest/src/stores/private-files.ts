import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { PalimpsestError } from '../engine/errors.ts'
import type { StoreCall } from './ports.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants
/** A link in the folder must not lead a transcript somewhere else. Some systems know no such flag. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0

/**
 * Runs one call of a store on a file.
 * @throws PalimpsestError `effect-failed` for whatever the file system refuses; the signal's own reason when aborted.
 */
export async function storing<Result>(
  path: string,
  call: StoreCall | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  call?.signal?.throwIfAborted()
  try {
    return await run()
  } catch (cause) {
    if (call?.signal?.aborted === true) throw call.signal.reason
    if (cause instanceof RangeError && !('code' in cause)) throw cause
    throw new PalimpsestError('effect-failed', `The file ${path} could not be read or written.`, {
      hint: 'Check that its folder exists or can be made, that it is yours, and that there is room on the disk.',
      cause,
    })
  }
}

/** The text of a file; undefined where there is none. */
export async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW).catch(ifMissing)
  return file === undefined ? undefined : closing(file, () => file.readFile('utf8'))
}

/**
 * Adds a text at the end of a file, in one write: what two processes append stands one behind the other, never mixed.
 * On return it survives a loss of power.
 */
export async function appendPrivate(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path))
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
  await closing(file, async () => {
    await file.chmod(0o600)
    const bytes = Buffer.from(text, 'utf8')
    const { bytesWritten } = await file.write(bytes)
    if (bytesWritten < bytes.length) throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes could be written.`)
    await file.sync()
  })
  await syncFolder(dirname(path))
}

/** Makes a file with this text, whole or not at all, in the place of one that is there. On return it survives a loss of power. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path))
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(draft, O_CREAT | O_EXCL | O_WRONLY, 0o600)
    await closing(file, async () => {
      await file.writeFile(text, 'utf8')
      await file.sync()
    })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
  await syncFolder(dirname(path))
}

/** Waits until what is in a file survives a loss of power, whoever wrote it. */
export async function syncPrivate(path: string): Promise<void> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW)
  await closing(file, () => file.sync())
  await syncFolder(dirname(path))
}

/** A folder that only its user can enter; one that is there keeps its mode. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(folder); made.length >= resolve(first).length; made = dirname(made)) {
    await syncFolder(dirname(made))
  }
}

/** Makes names in a folder durable. Windows cannot open folders, and needs it less. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const file = await open(folder, O_RDONLY)
  await closing(file, () => file.sync())
}

async function closing<Result>(file: FileHandle, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } finally {
    await file.close()
  }
}

function ifMissing(error: unknown): undefined {
  if ((error as { code?: string }).code === 'ENOENT') return undefined
  throw error
}
