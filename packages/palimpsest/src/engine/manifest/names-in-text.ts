/** What kind of name it is: a file or folder; a name in code; a URL, hash, number or ticket that cannot be guessed. */
export type NameKind = 'path' | 'ident' | 'id'

/** Receives each name of a text, in order, repeated ones too. */
export type NameVisitor = (kind: NameKind, name: string) => void

/** A name longer than this is a blob (base64, minified code), not a name. */
const LONGEST_NAME = 200
const LONGEST_IDENT = 80
const SHORTEST_IDENT = 5

const WORD_CHAIN = /[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*/g
const PATH = /^(?:[A-Za-z]:|~|\.{1,2})?\/?[\w.@+~%$-]+(?:\/[\w.@+~%$-]+)*\/?$/
const ROOTED = /^(?:~|\.{1,2})?\//
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ID = /^(?:#\d{1,8}|[A-Z][A-Z0-9]{1,9}-\d{1,7}|\d{6,20}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64})$/
/** `file:120` is a line, `:8443` and `localhost:3000` are ports. */
const HOST_AND_PORT = /^(?:(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):(\d{2,5})|:(\d{4,5}))$/
const PORT_WORD = /^(?:--?)?port:?$/i

const EXTENSIONS = new Set(
  `adoc astro bash bat bib c cc cfg cjs clj cmake conf config cpp cr cs css csv cts cxx dart db diff dockerfile ejs el elm env
  erb erl ex exs fs fsx gd go gradle graphql groovy h haml hbs hcl hpp hrl hs htm html hx hxx ico ini ipynb jar java jinja jl
  jpeg jpg js json json5 jsonc jsonl jsx kdl kt kts less lock log lua m md mdx mjs mk ml mli mm mod mts nim nix patch pdf php
  pl plist pm png po prisma proto ps1 pug py pyi pyx qml r rb rkt rs rst sass sc scala scm scss sh snap sol sql sqlite sum
  svelte svg swift tape tcl tex tf tfvars thrift toml ts tsv tsx ttf txt v vb vim vue wasm webp wgsl xml xsd yaml yml zig zip zsh`.split(
    /\s+/,
  ),
)

/** What a character is to the scanner. Everything that is not ASCII separates. */
const CLASS = { separator: 0, lower: 1, upper: 2, digit: 3, underscore: 4, dot: 5, joint: 6 } as const
const CLASSES = characterClasses()

/** What the scanner has noticed in a chunk; a chunk without any of these is a plain word. */
const NOTICED = { digit: 1, hump: 2, snake: 4, innerDot: 8, joint: 16 } as const

/**
 * Visits the paths, identifiers and ids of a text. In `loose` text (commands, arguments) two plain words around a slash
 * are a path; elsewhere they may be prose. Linear in the text.
 */
export function visitNames(text: string, visit: NameVisitor, loose = false): void {
  let start = -1
  let noticed = 0
  let before: number = CLASS.separator
  let upperRun = 0
  let chunkBefore = ''
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at < text.length ? classOf(text.charCodeAt(at)) : CLASS.separator
    if (kind === CLASS.separator) {
      if (start >= 0) chunkBefore = endChunk(text, start, at, noticed, chunkBefore, visit, loose)
      start = -1
      noticed = 0
      upperRun = 0
    } else {
      if (start < 0) start = at
      noticed |= noticedAt(kind, before, upperRun)
      upperRun = kind === CLASS.upper ? upperRun + 1 : 0
    }
    before = kind
  }
}

/** What a character adds to what is known of its chunk. */
function noticedAt(kind: number, before: number, upperRun: number): number {
  if (before === CLASS.dot && kind < CLASS.dot) return NOTICED.innerDot | (kind === CLASS.digit ? NOTICED.digit : 0)
  switch (kind) {
    case CLASS.digit:
      return NOTICED.digit | (before === CLASS.underscore ? NOTICED.snake : 0)
    case CLASS.upper:
      return before === CLASS.lower || before === CLASS.digit
        ? NOTICED.hump
        : before === CLASS.underscore
          ? NOTICED.snake
          : 0
    case CLASS.lower:
      return upperRun > 1 ? NOTICED.hump : before === CLASS.underscore ? NOTICED.snake : 0
    case CLASS.joint:
      return NOTICED.joint
    default:
      return 0
  }
}

/** Looks at a chunk; answers it where the next chunk may be a port because of it, else ''. */
function endChunk(
  text: string,
  start: number,
  end: number,
  noticed: number,
  chunkBefore: string,
  visit: NameVisitor,
  loose: boolean,
): string {
  const length = end - start
  if (noticed === 0) return length <= 6 ? text.slice(start, end) : ''
  // `</tag>` is no path.
  if (length > LONGEST_NAME * 2 || (text[start] === '/' && text[start - 1] === '<')) return ''
  const chunk = text.slice(start, end)
  if (noticed === NOTICED.digit && length < 6) {
    if (/^\d{2,5}$/.test(chunk) && PORT_WORD.test(chunkBefore)) visit('id', chunk)
  } else if ((noticed & (NOTICED.innerDot | NOTICED.joint)) !== 0 || noticed === NOTICED.digit) {
    visitChunk(chunk, visit, loose)
  } else visitIdents(chunk, visit)
  return length <= 6 ? chunk : ''
}

function classOf(code: number): number {
  return code < 128 ? (CLASSES[code] ?? CLASS.separator) : CLASS.separator
}

function characterClasses(): Uint8Array {
  const classes = new Uint8Array(128)
  for (let code = 0; code < 128; code += 1) {
    const char = String.fromCharCode(code)
    if (/[a-z]/.test(char)) classes[code] = CLASS.lower
    else if (/[A-Z]/.test(char)) classes[code] = CLASS.upper
    else if (/\d/.test(char)) classes[code] = CLASS.digit
    else if (char === '_') classes[code] = CLASS.underscore
    else if (char === '.') classes[code] = CLASS.dot
    else if (/[-/#:@~+%$^]/.test(char)) classes[code] = CLASS.joint
  }
  return classes
}

/** Is the last segment of this path a file name with an extension that files of source code and data have? */
export function hasKnownExtension(path: string): boolean {
  const dot = path.lastIndexOf('.')
  return dot > 0 && path[dot - 1] !== '/' && EXTENSIONS.has(path.slice(dot + 1).toLowerCase())
}

/** Does `name` stand in `text` as a word of its own? */
export function occursIn(text: string, name: string): boolean {
  if (name === '') return false
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (isBoundary(text, at - 1, name, 0) && isBoundary(text, at + name.length, name, name.length - 1)) return true
  }
  return false
}

function isBoundary(text: string, outside: number, name: string, inside: number): boolean {
  if (outside < 0 || outside >= text.length) return true
  return !(isWord(text.charCodeAt(outside)) && isWord(name.charCodeAt(inside)))
}

function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code > 0x2ff
  )
}

function visitChunk(raw: string, visit: NameVisitor, loose: boolean): void {
  if (raw.length > LONGEST_NAME * 2) return
  const chunk = raw.replace(/[.:,]+$/, '')
  const id = idOf(chunk)
  const path = id === undefined ? pathOf(chunk, loose) : undefined
  if (id !== undefined) visit('id', id)
  else if (path !== undefined) visit('path', path)
  else for (const piece of chunk.split('/')) visitIdents(piece, visit)
}

function idOf(chunk: string): string | undefined {
  if (/^https?:\/\//.test(chunk) || ID.test(chunk) || UUID.test(chunk)) return chunk
  const port = HOST_AND_PORT.exec(chunk)
  return port?.[1] ?? port?.[2]
}

/** The path in a chunk, without `:line:column`. */
function pathOf(chunk: string, loose: boolean): string | undefined {
  const colon = chunk.indexOf(':', 2)
  const path = (colon < 0 ? chunk : chunk.slice(0, colon)).replace(/^[@+-]+(?=[./~\w])/, '')
  if (path.length > LONGEST_NAME || path.length < 3 || !PATH.test(path) || !/[A-Za-z]/.test(path)) return undefined
  if (!path.includes('/')) return hasKnownExtension(path) && /^[\w.-]*[A-Za-z]/.test(path) ? path : undefined
  if (path === '/dev/null' || path.startsWith('//') || /^s\/.*\/[gip]*$/.test(path)) return undefined
  return loose || ROOTED.test(path) || hasKnownExtension(path) || path.split('/').length > 2 ? path : undefined
}

function visitIdents(chunk: string, visit: NameVisitor): void {
  for (const [found] of chunk.matchAll(WORD_CHAIN)) {
    if (found.length < SHORTEST_IDENT) continue
    const chain = found.replace(/^(?:self|this)\./, '')
    if (!chain.includes('.')) {
      if (isIdent(chain)) visit('ident', chain)
      continue
    }
    if (hasKnownExtension(chain)) visit('path', chain)
    else visitChain(chain, visit)
  }
}

function visitChain(chain: string, visit: NameVisitor): void {
  const words = chain.split('.')
  if (chain.length >= SHORTEST_IDENT && chain.length <= LONGEST_IDENT && words.every((word) => word.length > 1)) {
    visit('ident', chain)
  }
  for (const word of words) if (isIdent(word)) visit('ident', word)
}

/** camelCase, CamelCase or snake_case of at least five characters. */
function isIdent(word: string): boolean {
  if (word.length < SHORTEST_IDENT || word.length > LONGEST_IDENT) return false
  return /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(word)
}
