import { extname } from 'node:path'
import { ToolFailure } from '../agent-tool.ts'

/** A file as text, and what is needed to write it the way it was. */
export interface FileText {
  /** Without byte order mark; line ends as they stand. */
  readonly text: string
  /** Latin-1 stands for every encoding that is none of the others: each byte is one character, and comes back the same. */
  readonly encoding: 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Latin-1'
  readonly mark: boolean
  /** Of most of its lines. */
  readonly lineEnd: '\n' | '\r\n'
}

/** Reads bytes as text. @throws ToolFailure for what is none: with its kind and size. */
export function readText(bytes: Buffer, path: string): FileText {
  const decoded = marked(bytes) ?? unmarked(bytes, path)
  return { ...decoded, lineEnd: lineEndOf(decoded.text) }
}

/** The bytes of another text in the way of this file. @throws ToolFailure for characters that its encoding does not have. */
export function bytesOf({ encoding, mark }: Pick<FileText, 'encoding' | 'mark'>, text: string): Buffer {
  if (!text.isWellFormed()) throw new ToolFailure('The text holds half of a surrogate pair, which no file can hold.')
  const whole = mark ? `\uFEFF${text}` : text
  if (encoding === 'UTF-16LE') return Buffer.from(whole, 'utf16le')
  if (encoding === 'UTF-16BE') return Buffer.from(whole, 'utf16le').swap16()
  if (encoding === 'UTF-8') return Buffer.from(whole, 'utf8')
  const foreign = /[^\0-\xFF]/u.exec(text)?.[0]
  if (foreign !== undefined)
    throw new ToolFailure(`The file is not in UTF-8, and ${JSON.stringify(foreign)} cannot be written in its encoding. \
Convert it first (iconv), or leave that character out.`)
  return Buffer.from(text, 'latin1')
}

/** Only what it says of itself, for whoever reads it on. */
export function encodingNote({ encoding, mark, lineEnd }: FileText): string | undefined {
  const notes = [
    ...(encoding === 'Latin-1' ? ['not UTF-8, shown as Latin-1'] : encoding === 'UTF-8' ? [] : [encoding]),
    ...(mark && encoding === 'UTF-8' ? ['byte order mark'] : []),
    ...(lineEnd === '\r\n' ? ['CRLF line ends'] : []),
  ]
  return notes.length === 0 ? undefined : notes.join(', ')
}

type Decoded = Omit<FileText, 'lineEnd'>

function marked(bytes: Buffer): Decoded | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    const text = utf8(bytes.subarray(3))
    return text === undefined ? undefined : { text, encoding: 'UTF-8', mark: true }
  }
  if (bytes.length % 2 !== 0) return undefined
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  if (!isLittle && !(bytes[0] === 0xfe && bytes[1] === 0xff)) return undefined
  const text = (isLittle ? bytes : Buffer.from(bytes).swap16()).toString('utf16le', 2)
  return text.isWellFormed() ? { text, encoding: isLittle ? 'UTF-16LE' : 'UTF-16BE', mark: true } : undefined
}

function unmarked(bytes: Buffer, path: string): Decoded {
  const kind = binaryKind(bytes)
  if (kind !== undefined) {
    const size = `${bytes.length.toLocaleString('en')} bytes`
    const name = extname(path) === '' || kind !== 'binary data' ? kind : `${kind} (${extname(path)})`
    throw new ToolFailure(`${path} is no text: ${name}, ${size}. bash has programs that say more of it.`)
  }
  const text = utf8(bytes)
  if (text !== undefined) return { text, encoding: 'UTF-8', mark: false }
  return { text: bytes.toString('latin1'), encoding: 'Latin-1', mark: false }
}

/** A first mark is taken off before; one that stands behind it is a character. */
function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** First bytes of kinds that are common in source trees, as hexadecimal digits. */
const KINDS: readonly (readonly [string, string])[] = [
  ['89504e47', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['47494638', 'a GIF image'],
  ['25504446', 'a PDF document'],
  ['504b0304', 'a ZIP archive (or an office document, a jar, …)'],
  ['1f8b', 'gzip data'],
  ['28b52ffd', 'Zstandard data'],
  ['425a68', 'bzip2 data'],
  ['fd377a585a', 'xz data'],
  ['377abcaf', 'a 7z archive'],
  ['7f454c46', 'an ELF program or library'],
  ['0061736d', 'a WebAssembly module'],
  ['53514c69746520666f726d6174', 'an SQLite database'],
  ['774f4632', 'a WOFF2 font'],
]
/** Bytes that are looked at: text has no NUL, binary data has one early. */
const LOOKED_AT = 8_192

function binaryKind(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, LOOKED_AT)
  const digits = head.subarray(0, 16).toString('hex')
  if (digits.startsWith('52494646') && head.toString('latin1', 8, 12) === 'WEBP') return 'a WebP image'
  const known = KINDS.find(([start]) => digits.startsWith(start))
  if (known !== undefined) return known[1]
  return head.includes(0) || manyControls(head) ? 'binary data' : undefined
}

/** More than one in ten is neither text nor what terminals print. */
function manyControls(head: Buffer): boolean {
  let controls = 0
  for (const byte of head) if (byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) controls += 1
  return controls * 10 > head.length
}

function lineEndOf(text: string): FileText['lineEnd'] {
  let all = 0
  let carriage = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    all += 1
    if (text[at - 1] === '\r') carriage += 1
  }
  return carriage * 2 > all ? '\r\n' : '\n'
}
