import type { Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { clientFormats } from './client-formats.ts'
import { formatOfPiece, formatOfRecord } from './detect-format.ts'
import { parsed } from './parse-line.ts'
import { piecesOfDocument } from './pieces-of-document.ts'
import { linesOf } from './read-lines.ts'
import { isSqliteText } from './sqlite-file.ts'

/**
 * The newest session files of known clients in a folder and the folders below it, at most `most`, newest first. Told by
 * their content. Logs of subagents, and folders that cannot be read, are passed over; never throws.
 *
 * @example
 * await newestSessionsIn('./logs', 3)
 */
export async function newestSessionsIn(folder: string, most: number): Promise<string[]> {
  const files = await logsBelow(folder, DEPTH)
  const sessions: string[] = []
  for (const { path } of files.sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1))) {
    if (sessions.length >= most) break
    if (await isSession(path)) sessions.push(path)
  }
  return sessions
}

interface LogFile {
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly modified: number
}

async function logsBelow(folder: string, depth: number): Promise<LogFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  const found: LogFile[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth > 0 && !PASSED_OVER.has(entry.name)) found.push(...(await logsBelow(path, depth - 1)))
    } else if (entry.isFile() && SESSION_NAMES.test(entry.name) && !entry.name.startsWith('agent-')) {
      const facts = await stat(path).catch(() => undefined)
      if (facts !== undefined) found.push({ path, modified: facts.mtimeMs })
    }
  }
  return found
}

async function isSession(path: string): Promise<boolean> {
  const opening = await openingOf(path).catch(() => '')
  if (isSqliteText(opening)) return isDatabase(path)
  const document = parsed(opening)
  if (document !== undefined) return isOfClient(document.value)
  for (const { text } of linesOf(opening)) {
    const format = formatOfRecord(parsed(text)?.value)
    if (format !== undefined) return format !== 'request'
  }
  return piecesOfDocument(opening, (value) => formatOfPiece(value) !== undefined).length > 0
}

function isOfClient(value: unknown): boolean {
  const format = formatOfRecord(value)
  return format !== undefined && format !== 'request'
}

async function isDatabase(path: string): Promise<boolean> {
  for (const { stored } of clientFormats) {
    const found = await stored?.(path, {}).catch(() => undefined)
    if (found !== undefined) return true
  }
  return false
}

async function openingOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OPENING_BYTES), 0, OPENING_BYTES, 0)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}

/** Clients keep sessions four folders deep at most; a link back up is not followed. */
const DEPTH = 8
const PASSED_OVER: ReadonlySet<string> = new Set(['node_modules', '.git'])
/** How files end that clients keep sessions in. */
const SESSION_NAMES = /\.(jsonl|json|traj|db)$/
/** The first line of a rollout holds all instructions. */
const OPENING_BYTES = 256 * 1024
