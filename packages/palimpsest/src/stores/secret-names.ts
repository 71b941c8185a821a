/**
 * What ends the name of a secret, what stands between it and its value, and the value: within quotes, or up to what ends an
 * argument. In JSON inside JSON the quotes are escaped.
 */
const NAMED =
  /(api[_-]?key|(?:access|secret|private|account|signing|encryption|master|license)[_-]?key(?:[_-]base)?|secret|passw(?:or)?d|(?<=_)(?:pass|pwd)|passphrase|token|(?<![a-z0-9])_auth)(\d{0,3}\\{0,4}["'`]?\s{0,4}(?:=>|:=|[:=])\s{0,4})(?:(\\{0,4}["'`])([^\s"'`\\]+)|([^\s"'`\\,;&=]+={0,2}))/gi
/** The same as two arguments of a command. */
const FLAG =
  /(--(?:[a-z]{1,20}-){0,3}(?:api-?key|access-key|secret-key|secret|password|passphrase|token)\s["']?)([^\s"'`\\]+)/g
/** Passwords where a command has them: `curl -u me:…`, `mysql -p…`. */
const ARGUMENT =
  /((?:^|[^\S\n])(?:-u|--user)[ =]["']?[^\s:"'/]{1,64}:|\bsshpass -p ?["']?|\bdocker login [^\n;|&]{0,80}?-p ["']?|\bredis-cli [^\n;|&]{0,80}?-a ["']?|\bmysql(?:dump|admin)? [^\n;|&]{0,80}?-p["']?(?=\S))([^\s"'`\\:/]+)/gm
/** A Dockerfile has no sign between the two. */
const ENV = /(\bENV [A-Z0-9_]{0,60}(?:API_?KEY|SECRET(?:_KEY)?|PASSW(?:OR)?D|TOKEN) )([^\s"'`\\=]+)/g
const COOKIES = /(\bcookie\\{0,4}["'`]?\s{0,4}:\s{0,4}\\{0,4}["'`]?)([^\n\r"'`\\]+)/gi
const COOKIE = /=([^;\s=,]{16,}={0,2})/g

interface NamedValue {
  readonly kind: 'password' | 'secret' | 'token'
  readonly value: string
  /** `setting`: of an environment or its file; there every value counts. */
  readonly place: 'setting' | 'quoted' | 'bare'
}

/** Masks values whose names call them secret, where they look like one and not like a word or like code. */
export function maskNamedSecrets(text: string): string {
  const named = text.replace(
    NAMED,
    (match, word: string, between: string, quote = '', quoted = '', bare = '', at = 0) => {
      if (quoted !== '' && !closes(text[at + match.length])) return match
      const value = quoted + bare
      const one = { kind: kindOf(word), value, place: placeOf(word, between, quote) }
      // in small letters these two are many things
      if (/^(?:pass|pwd)$/i.test(word) && one.place !== 'setting') return match
      const isMarker = one.kind === 'token' && MARKER.test(text.slice(Math.max(0, at - 16), at))
      return isMarker || !isSecret(one) ? match : `${word}${between}${quote}[redacted:${one.kind}]`
    },
  )
  const masked = named.replace(FLAG, (match, flag: string, value: string) =>
    maskedValue(match, flag, { kind: kindOf(flag), value, place: 'bare' }),
  )
  return maskCookies(maskArguments(masked))
}

function maskArguments(text: string): string {
  const masked = text.replace(ARGUMENT, (match, before: string, value: string) =>
    // numbers alone are ids of users and groups
    isNumber(value) ? match : maskedValue(match, before, { kind: 'password', value, place: 'bare' }),
  )
  return masked.replace(ENV, (match, before: string, value: string) =>
    maskedValue(match, before, { kind: kindOf(before), value, place: 'setting' }),
  )
}

function maskCookies(text: string): string {
  if (!/cookie/i.test(text)) return text
  return text.replace(COOKIES, (_, before: string, cookies: string) => {
    return `${before}${cookies.replace(COOKIE, (match, value: string) => (looksRandom(value) ? '=[redacted:cookie]' : match))}`
  })
}

function maskedValue(match: string, before: string, one: NamedValue): string {
  return isSecret(one) ? `${before}[redacted:${one.kind}]` : match
}

/** Tokens that open no door: of pages and of vocabularies. */
const MARKER = /(?:page|next|continuation|sync|resume|stop|pad|eos|bos|unk|mask|special)[_-]?$/i

/** Is a quoted value whole? One with spaces is a sentence. */
function closes(unit: string | undefined): boolean {
  return unit === undefined || /["'`\\]/.test(unit)
}

function kindOf(name: string): NamedValue['kind'] {
  if (/pass|pwd/i.test(name)) return 'password'
  return /token/i.test(name) ? 'token' : 'secret'
}

function placeOf(word: string, between: string, quote: string): NamedValue['place'] {
  const isUpper = word === word.toUpperCase()
  // YAML has settings behind a colon, and so do objects in code; of passwords the first is likelier
  if (isUpper && (between === '=' || (/pass/i.test(word) && /^: ?$/.test(between)))) return 'setting'
  return quote === '' ? 'bare' : 'quoted'
}

/** What is longer is no secret that somebody named, but a text. */
const LONGEST_VALUE = 4096
/** Variables, templates, masks. */
const PLACEHOLDER = /[(){}[\]<>]|\$[A-Za-z_]|^\$|^%|^(?:\*+|\.+|x+)$/i
/** Words that stand for values. */
const WORD =
  /^(?:your[_-].*|true|false|yes|no|null|none|nil|undefined|required|optional|string|password|secret|token)$/i
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PLACE = /^(?:[a-z][a-z0-9+.-]{0,20}:\/\/|\.{0,2}\/|~\/|[a-z]:[/\\])/i
const DATE = /^\d{4}-\d\d-\d\d/
/** Words with numbers, joined: the name of something. */
const NAME = /^(?:[A-Za-z]{1,15}[0-9]{0,4}|[0-9]{1,4})(?:[_.-](?:[A-Za-z]{1,15}[0-9]{0,4}|[0-9]{1,4}))+$/
const LONG_SEGMENT = /(?=[A-Za-z_]{0,19}[0-9])\w{20}/
const MEMBER = /^[A-Za-z_][\w?]*(?:\.[A-Za-z_][\w?]*)+!?$/
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i

function isSecret({ kind, value, place }: NamedValue): boolean {
  if (value.length > LONGEST_VALUE) return false
  if ([PLACEHOLDER, WORD, UUID, PLACE, DATE].some((pattern) => pattern.test(value))) return false
  if (place !== 'quoted' && MEMBER.test(value) && !LONG_SEGMENT.test(value)) return false
  if (place === 'setting')
    return value.length >= (kind === 'password' ? 4 : 6) && !(kind === 'token' && isNumber(value))
  if (kind === 'password') return value.length >= 5 && /[0-9!@#^*+~?%]/.test(value)
  if (kind === 'token') return looksRandom(value) && !DIGEST.test(value) && !NAME.test(value)
  return looksRandom(value) || (place === 'quoted' && value.length >= 8 && /[a-z]/i.test(value) && digits(value) > 1)
}

/** No word of a language, and no name of code: digits here and there, or in something long. */
function looksRandom(value: string): boolean {
  if (value.length < 12 || isNumber(value)) return false
  return (value.match(/[0-9]+/g) ?? []).length >= 2 || (value.length >= 20 && digits(value) > 0)
}

function digits(value: string): number {
  return (value.match(/[0-9]/g) ?? []).length
}

function isNumber(value: string): boolean {
  return /^[0-9.]+$/.test(value)
}
