import { type ToolCall, ToolFailure, type ToolOutput } from '../agent-tool.ts'
import type { PermissionRequest } from '../permissions.ts'
import { withinSeconds } from '../time-limit.ts'
import { bytesOf, type FileText, readText } from '../workspace/file-text.ts'
import { type KnownFiles, readBytes, writeBytes } from '../workspace/files.ts'
import type { Place, Workspace } from '../workspace/workspace.ts'
import { boundedLines, type FileDiff, fileDiff } from './file-diff.ts'

/** A file as it is, and as it is to be. */
export interface FileChange {
  readonly place: Place
  /** Undefined: a new file. */
  readonly before: FileText | undefined
  readonly after: string
  readonly bytes: Uint8Array
}

export interface ChangeOptions {
  readonly workspace: Workspace
  readonly known: KnownFiles
}

/** Seconds that reading or writing may take. */
const SECONDS = 30
/** Lines of the diff that a person is shown, and of that which the model reads. */
const PREVIEW_LINES = 400
const ANSWER_LINES = 60

/**
 * What a file becomes. @throws ToolFailure where it may not be written, was not read, or has changed since; `after` throws for what
 * does not fit.
 */
export async function fileChange(
  { workspace, known }: ChangeOptions,
  path: string,
  after: (file: FileText | undefined, shown: string) => string,
): Promise<FileChange> {
  const place = await workspace.locate(path, 'write')
  const old = await readBytes(place)
  if (old !== undefined) known.assertKnown(place, old)
  const before = old === undefined ? undefined : readText(old, place.shown)
  const text = after(before, place.shown)
  return { place, before, after: text, bytes: bytesOf(before ?? { encoding: 'UTF-8', mark: false }, text) }
}

/** What a person is asked; nothing where nothing changes. */
export function changeRequest(tool: string, { place, before, after }: FileChange): PermissionRequest | undefined {
  if (before?.text === after) return undefined
  const diff = fileDiff(place.shown, before?.text, after)
  const preview = diff === undefined ? sizesOf(before, after) : boundedLines(diff.text, PREVIEW_LINES)
  return { tool, kind: 'write', target: place.shown, preview }
}

/** Writes it, and says what changed. */
export async function writeChange({ known }: ChangeOptions, change: FileChange): Promise<ToolOutput> {
  const { place, before, after, bytes } = change
  if (before?.text === after)
    return { text: `${place.shown} is already like that: nothing was written.`, brief: 'unchanged' }
  await writeBytes(place, bytes)
  known.note(place, bytes)
  if (before === undefined) {
    const lines = after === '' ? 0 : after.split('\n').length - (after.endsWith('\n') ? 1 : 0)
    return { text: `${place.shown} was created: ${lines} lines.`, brief: `created, +${lines}` }
  }
  const diff = fileDiff(place.shown, before.text, after)
  if (diff === undefined) return { text: `${place.shown} was changed. ${sizesOf(before, after)}`, brief: 'changed' }
  return { text: `${place.shown} was changed:\n${hunksOf(diff)}`, brief: `+${diff.added} −${diff.removed}` }
}

/** Reading, asking and writing are bounded in time, each for itself. */
export function inTime<Result>(path: string, { signal }: ToolCall, run: () => Promise<Result>): Promise<Result> {
  const help = 'It may or may not have been written: read it again.'
  return withinSeconds({ seconds: SECONDS, signal, what: `Changing ${path.slice(0, 200)}`, help }, run)
}

/** @throws ToolFailure for a path that stands for stored history. */
export function assertNoReference(path: string): void {
  if (path.trim().startsWith('artifact:'))
    throw new ToolFailure(
      `${path.slice(0, 200)} is a stored original: it is only read. Write to a path in the workspace.`,
    )
}

function hunksOf({ text }: FileDiff): string {
  const start = text.indexOf('@@')
  return start < 0 ? '(only line ends)' : boundedLines(text.slice(start).trimEnd(), ANSWER_LINES)
}

function sizesOf(before: FileText | undefined, after: string): string {
  const old = before === undefined ? '' : `${before.text.length.toLocaleString('en')} characters become `
  return `The difference is too large to be shown: ${old}${after.length.toLocaleString('en')} characters.`
}
