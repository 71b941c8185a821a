import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolFailure } from '../agent-tool.ts'
import { codeOf, type Place } from './workspace.ts'

/** Bytes of a file that tools read or write whole. */
const MOST_BYTES = 64 * 1024 * 1024

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants

/**
 * The bytes of a file; undefined where there is none. Opened first, then looked at: what is read is what stands at that place,
 * whatever was put there between. @throws ToolFailure for what is no file, too large, or changed place.
 */
export async function readBytes({ real, shown }: Place, most = MOST_BYTES): Promise<Buffer | undefined> {
  const file = await opened(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  if (file === undefined) return undefined
  try {
    const state = await file.stat()
    if (state.isDirectory()) throw new ToolFailure(`${shown} is a folder. list_files shows what is in it.`)
    if (!state.isFile()) throw new ToolFailure(`${shown} is no regular file (a pipe, socket or device).`)
    if (state.size > most) {
      throw new ToolFailure(
        `${shown} has ${megabytes(state.size)}, more than the ${megabytes(most)} that are read. \
Take a part of it with bash (head, tail, sed -n) or look for what you need with grep.`,
      )
    }
    await assertStandsAt(file, real, shown)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/**
 * Puts a file there, in one step: whoever reads meanwhile finds the old one whole, or the new one. Makes the folders, keeps the
 * mode of a file that was there. @throws ToolFailure where it may not be written, or the place changed.
 */
export async function writeBytes(
  { real, shown }: Place,
  bytes: Uint8Array,
  id: () => string = randomUUID,
): Promise<void> {
  const folder = dirname(real)
  const before = await stat(real).catch(() => undefined)
  if (before?.isFile() === false)
    throw new ToolFailure(`${shown} is a folder, or no regular file: nothing was written.`)
  if (before !== undefined) await assertWritable(real, shown)
  await mkdir(folder, { recursive: true })
  const draft = join(folder, `.palimpsest-${id()}.tmp`)
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
  try {
    try {
      await assertStandsAt(file, draft, shown)
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
    if (before !== undefined) await chmod(draft, before.mode & 0o7777)
    await rename(draft, real)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** What was read or written, so that nothing is overwritten that nobody has seen. One for each set of tools. */
export class KnownFiles {
  readonly #digests = new Map<string, string>()

  note({ real }: Place, bytes: Uint8Array): void {
    this.#digests.set(real, digestOf(bytes))
  }

  /** @throws ToolFailure where the file was not read, or is another one by now. */
  assertKnown({ real, shown }: Place, bytes: Uint8Array): void {
    const known = this.#digests.get(real)
    if (known === undefined)
      throw new ToolFailure(`${shown} exists and was not read in this session. Read it with read_file first.`)
    if (known !== digestOf(bytes))
      throw new ToolFailure(`${shown} has changed since it was read. Read it again with read_file, then change it.`)
  }
}

function megabytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

async function opened(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The open file is the one that stands at the real path now: no folder of it was exchanged for a link meanwhile. */
async function assertStandsAt(file: FileHandle, real: string, shown: string): Promise<void> {
  const [own, there, path] = await Promise.all([
    file.stat({ bigint: true }),
    stat(real, { bigint: true }).catch(() => undefined),
    realpath(real).catch(() => undefined),
  ])
  if (path === real && there?.ino === own.ino && there.dev === own.dev) return
  throw new ToolFailure(`${shown} changed its place while it was opened: nothing was done. Try again.`)
}

async function assertWritable(real: string, shown: string): Promise<void> {
  try {
    await access(real, constants.W_OK)
  } catch {
    throw new ToolFailure(`${shown} is read-only: nothing was written.`)
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
