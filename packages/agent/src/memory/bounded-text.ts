import { type FileHandle, open, stat } from 'node:fs/promises'

/** What came of reading a file that people write. */
export type BoundedText =
  | { readonly kind: 'text'; readonly text: string /** What is not as in the file. */; readonly note?: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly why: string }

/** The beginning of a text file, up to `most` bytes. Never throws for what the file is. */
export async function readBounded(path: string, most: number): Promise<BoundedText> {
  try {
    // a pipe would wait for somebody to write
    const found = await stat(path)
    if (!found.isFile()) return { kind: 'unusable', why: 'it is no file' }
    const file = await open(path)
    try {
      return textOf(await beginning(file, most), found.size)
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'unusable', why: `it cannot be read (${code ?? (error as Error).message})` }
  }
}

async function beginning(file: FileHandle, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most)
  let filled = 0
  while (filled < most) {
    const { bytesRead } = await file.read(bytes, filled, most - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function textOf(bytes: Uint8Array, size: number): BoundedText {
  const encoding = encodingOf(bytes)
  if (encoding === undefined) return { kind: 'unusable', why: 'it is no text' }
  // a character that the bound cuts in two is left out
  const text = new TextDecoder(encoding).decode(bytes, { stream: size > bytes.length })
  const notes = [
    ...(size > bytes.length ? [`the first ${bytes.length} of its ${size} bytes`] : []),
    ...(encoding === 'utf-8' && text.includes('\ufffd') ? ['it is not UTF-8, some characters are lost'] : []),
  ]
  return { kind: 'text', text, ...(notes.length > 0 && { note: notes.join('; ') }) }
}

/** By the mark at its beginning; undefined where a zero byte says that it is no text. */
function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes.includes(0) ? undefined : 'utf-8'
}
