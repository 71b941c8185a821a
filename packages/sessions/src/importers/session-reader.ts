import { PalimpsestError } from 'palimpsest'
import type { ReaderOptions } from './client-format.ts'
import { clientFormat, clientNames } from './client-formats.ts'
import { formatOfLine, formatOfPiece, formatOfRecord } from './detect-format.ts'
import type { ClientFormatName, ImportedSession, SessionFormat } from './imported-session.ts'
import { fieldsOf, isFields } from './json-fields.ts'
import { parsed, parseLine } from './parse-line.ts'
import { piecesOfDocument } from './pieces-of-document.ts'
import { endOfValue, type Line } from './read-lines.ts'
import type { RecordReader } from './record-reader.ts'
import { RequestReader } from './request/request-reader.ts'
import { SkipTally } from './skip-tally.ts'
import { unreadClient } from './unread-client.ts'

/** How a session is to be read. */
export interface SessionReaderOptions extends ReaderOptions {
  /** Absent: the content decides. */
  readonly format?: SessionFormat | undefined
  /** Dialect of a plain request, when the caller knows it. */
  readonly dialect?: string | undefined
  readonly recognise?: ((body: unknown) => string | undefined) | undefined
}

/**
 * Takes the lines of a file one by one and gives the session at the end. Which format it is shows in the first record
 * that says so; until then lines are held, for they may also be one JSON document written over many lines.
 */
export class SessionReader {
  readonly #options: SessionReaderOptions
  readonly #skipped = new SkipTally()
  #reader: RecordReader | undefined
  #lines = 0
  /** Lines with something on them, those of them without any JSON, and the first of those. */
  #written = 0
  #notJson = 0
  #firstNotJson = 0
  /** Lines that no format was found in yet. */
  #held: Line[] = []
  /** Text of the document that the held lines go on with, where it is long. */
  #document: string[] = []
  /** The first line begins a JSON value that does not end on it. */
  #opensDocument = false
  #firstLine = 0
  /** How many records were looked at for another format than the one that was asked for, and what they are. */
  #looked = 0
  #other: SessionFormat | undefined

  constructor(options: SessionReaderOptions) {
    this.#options = options
    const { format } = options
    // Of a client that writes documents it may be one.
    const isLines = format !== undefined && format !== 'request' && clientFormat(format).isDocument === undefined
    if (isLines) this.#reader = readerFor(format, this.#skipped, options)
  }

  push(line: Line): void {
    this.#lines = line.number
    this.#written += 1
    if (this.#reader !== undefined) this.#read(line, this.#reader)
    else this.#hold(line)
  }

  /** Throws `PalimpsestError` (`invalid-input`) where the lines were empty, mostly no JSON, or of no known format. */
  end(bytes: number): ImportedSession {
    const reader = this.#reader ?? this.#lateReader()
    if (this.#notJson > MOST_DAMAGED && this.#notJson * 2 > this.#written) throw this.#mostlyNotJson()
    const transcript = reader.finish()
    const isEmpty = transcript.items.length === 0 && transcript.compactions.length === 0
    if (isEmpty && this.#other !== undefined && this.#other !== reader.format) {
      throw otherFormat(reader.format, this.#other)
    }
    if (reader.format === 'request' && transcript.request === undefined) throw unknownFormat([])
    return { format: reader.format, ...transcript, skipped: this.#skipped.result(), lines: this.#lines, bytes }
  }

  /** A record of a named client that comes from a database or a folder; `place` counts them from 1. */
  pushRecord(format: ClientFormatName, record: unknown, place: number): void {
    this.#lines = place
    this.#reader ??= readerFor(format, this.#skipped, this.#options)
    this.#reader.read(record, place, '')
  }

  #hold(line: Line): void {
    if (this.#firstLine === 0) {
      this.#firstLine = line.number
      this.#opensDocument = opensDocument(line.text)
    }
    this.#held.push(line)
    const format = this.#opensDocument ? this.#formatInDocument(line) : this.#formatIn([line])
    if (format !== undefined) this.#start(format)
    else if (this.#held.length >= MAX_HELD) this.#shorten()
  }

  /**
   * What looked like the beginning of a document may be the torn first line of a session log: a line that is a whole
   * record of one says so. It would come soon.
   */
  #formatInDocument(line: Line): SessionFormat | undefined {
    if (this.#document.length > 0 || this.#options.format === 'request') return undefined
    if (!/^\s*\{".*\}\s*$/s.test(line.text)) return undefined
    return formatOfLine(parsed(line.text)?.value)
  }

  /** The format of the first record in these lines that shows one. */
  #formatIn(lines: readonly Line[]): SessionFormat | undefined {
    for (const line of lines) {
      const { values, broken } = parseLine(line.text, (value) => isSessionRecord(value))
      for (const value of values) {
        const format = this.#options.format ?? formatOfRecord(value)
        if (format !== undefined && !(broken && this.#isDebris(value))) return format
        if (this.#isRecognised(value)) return 'request'
      }
    }
    return undefined
  }

  /** What can be read on a broken line, and is no line of a log, may be left over from a damaged document. */
  #isDebris(value: unknown): boolean {
    const format = formatOfRecord(value)
    return this.#options.format !== 'request' && format !== 'request' && formatOfLine(value) === undefined
  }

  #isRecognised(value: unknown): boolean {
    return isFields(value) && this.#options.recognise?.(value) !== undefined
  }

  /** Many lines, and none tells the format: they are a document, or nothing we know. */
  #shorten(): void {
    if (!this.#opensDocument) throw this.#nothingKnown()
    this.#document.push(textOfLines(this.#held))
    this.#held = []
  }

  #start(format: SessionFormat): RecordReader {
    const reader = readerFor(format, this.#skipped, this.#options)
    this.#reader = reader
    const held = this.#held
    this.#held = []
    for (const line of held) this.#read(line, reader)
    return reader
  }

  /** All lines are here and none decided: one document over many lines, or lines of which some can be read. */
  #lateReader(): RecordReader {
    if (this.#firstLine === 0)
      throw new PalimpsestError('invalid-input', 'The file is empty.', { hint: knownFormats() })
    const text = [...this.#document, textOfLines(this.#held)].join('\n')
    const document = this.#opensDocument ? parsed(text) : undefined
    if (document !== undefined) return this.#documentReader(document.value, text)
    const format = this.#formatIn(this.#held)
    if (format !== undefined) return this.#start(format)
    const reader = this.#readerOfPieces(text)
    if (reader === undefined) throw this.#nothingKnown()
    return reader
  }

  #documentReader(document: unknown, text: string): RecordReader {
    const found = formatOfRecord(document) ?? (this.#isRecognised(document) ? 'request' : undefined)
    const format = this.#options.format ?? found
    if (format === undefined) throw unknownFormat([document])
    this.#held = []
    const reader = readerFor(format, this.#skipped, this.#options)
    this.#look(document, format)
    reader.read(document, this.#firstLine, text)
    return reader
  }

  /** A document that is torn or damaged: its whole pieces say what it was, and are what there is of it. */
  #readerOfPieces(text: string): RecordReader | undefined {
    const { format } = this.#options
    const pieces = piecesOfDocument(text, (value) => formatOfPiece(value) !== undefined)
    const found = format ?? formatOfPiece(pieces[0]?.value)
    if (found === undefined || found === 'request' || pieces.length === 0) return undefined
    this.#held = []
    this.#skipped.add('not JSON', this.#firstLine)
    const reader = readerFor(found, this.#skipped, this.#options)
    for (const [at, piece] of pieces.entries()) reader.read(piece.value, at + 1, piece.text)
    return reader
  }

  #nothingKnown(): PalimpsestError {
    const lines = this.#held.map((line) => parseLine(line.text, (value) => isSessionRecord(value)))
    const values = lines.flatMap((line) => line.values)
    const isJson = values.some(isFields) || lines.every(({ broken }) => !broken)
    return isJson && !this.#opensDocument ? unknownFormat(values) : notJson(this.#firstLine)
  }

  /** A text that quotes some lines of a session is none. */
  #mostlyNotJson(): PalimpsestError {
    const message = `Not JSON at line ${this.#firstNotJson}, nor on ${this.#notJson - 1} of its other ${this.#written - 1} lines.`
    return new PalimpsestError('invalid-input', message, { hint: knownFormats() })
  }

  #read(line: Line, reader: RecordReader): void {
    const { values, texts, broken } = parseLine(line.text, (value) => isSessionRecord(value, reader.format))
    if (broken) this.#skipped.add('not JSON', line.number)
    if (broken && values.length === 0) {
      this.#notJson += 1
      if (this.#notJson === 1) this.#firstNotJson = line.number
    }
    for (const [at, value] of values.entries()) {
      this.#look(value, reader.format)
      reader.read(value, line.number, texts[at] ?? '')
    }
  }

  /** What a record is that may not be of the format which was asked for; one that is decides. */
  #look(value: unknown, format: SessionFormat): void {
    if (this.#options.format === undefined || this.#other === format || this.#looked >= MOST_LOOKED) return
    this.#looked += 1
    const found = formatOfRecord(value)
    this.#other = found === format ? format : (this.#other ?? found)
  }
}

function opensDocument(text: string): boolean {
  return /^\s*[[{]/.test(text) && parsed(text) === undefined && endOfValue(text, 0) === text.length
}

function textOfLines(lines: readonly Line[]): string {
  return lines.map((line) => line.text).join('\n')
}

function readerFor(format: SessionFormat, skipped: SkipTally, options: SessionReaderOptions): RecordReader {
  return format === 'request'
    ? new RequestReader(skipped, options)
    : clientFormat(format).reader(skipped, { session: options.session })
}

/**
 * Is this a line of a session log, not something inside one? Only what has an envelope is sure: items of the oldest
 * rollouts, and messages of requests, look the same where they stand inside other records.
 */
function isSessionRecord(value: unknown, expected?: SessionFormat): boolean {
  const format = formatOfLine(value)
  if (format === undefined || (expected !== undefined && format !== expected)) return false
  return format !== 'codex' || isFields(fieldsOf(value).payload)
}

function notJson(line: number): PalimpsestError {
  return new PalimpsestError('invalid-input', `Not JSON at line ${line}.`, { hint: knownFormats() })
}

function unknownFormat(values: readonly unknown[]): PalimpsestError {
  const client = unreadClient(values)
  const message =
    client === undefined
      ? 'JSON, but no request or session of a known format.'
      : `JSON, but no request or session of a known format: it looks like ${client} session, which is not read yet.`
  return new PalimpsestError('invalid-input', message, { hint: knownFormats() })
}

function otherFormat(asked: SessionFormat, found: SessionFormat): PalimpsestError {
  const [wanted, is] = [asked, found].map((name) =>
    name === 'request' ? 'request' : `${clientFormat(name).client} session`,
  )
  return new PalimpsestError('invalid-input', `No ${wanted}: it looks like a ${is}.`, {
    hint: `Leave the format out, or give \`${found}\`.`,
  })
}

function knownFormats(): string {
  return `Accepted are session files of ${clientNames()}, and request bodies as JSON: ${REQUESTS}.`
}

/** So many lines of a session that is real may be damaged, however short it is. */
const MOST_DAMAGED = 20

/** So many records are looked at to tell that a file is of another format than the one that was asked for. */
const MOST_LOOKED = 100

/** Records that say nothing about the format are held back while one that does may still come. */
const MAX_HELD = 1_000

const REQUESTS =
  'Anthropic Messages, OpenAI Chat Completions, OpenAI Responses, Gemini, Bedrock Converse, AI SDK prompts, or a list of messages'
