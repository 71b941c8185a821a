import { type HeaderFields, headerEntries } from './header-fields.ts'

/** What stands where a secret stood. */
export const REDACTED = '[redacted]'

/** Headers of requests and answers that are known to carry secrets. */
export const SENSITIVE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'x-amz-security-token',
  'ocp-apim-subscription-key',
  'cf-aig-authorization',
  'helicone-auth',
  'x-litellm-api-key',
  'x-portkey-api-key',
])

/** Does this header carry a secret, or is its name such that it may? */
export function isSensitiveHeader(name: string): boolean {
  const lower = name.toLowerCase()
  if (SENSITIVE_HEADERS.has(lower)) return true
  return isSecretName(lower) && !/rate-?limit|max-?tokens|token-?count/.test(lower)
}

function isSecretName(name: string): boolean {
  return /auth|cookie|credential|jwt|pass(?:wd|word|phrase)|secret|signature|token|api-?key|(?:^|[-_.])(?:key|sig|code|pwd)$/.test(
    name,
  )
}

/**
 * Headers as they may stand in a log: names in lower case, several values of one name joined. Secrets are gone, also
 * where another header repeats one or holds a URL with one.
 *
 * @example
 * redactHeaders({ 'x-api-key': 'sk-1', accept: 'application/json' })['x-api-key'] // '[redacted]'
 */
export function redactHeaders(headers: HeaderFields): Readonly<Record<string, string>> {
  const entries = headerEntries(headers)
  const secrets = entries.flatMap(([name, value]) => (isSensitiveHeader(name) ? secretsIn(value) : []))
  const redacted = new Map<string, string>()
  for (const [name, value] of entries) {
    const shown = isSensitiveHeader(name) ? REDACTED : redactText(value, secrets)
    const known = redacted.get(name)
    redacted.set(name, known === undefined || known === shown ? shown : `${known}, ${shown}`)
  }
  return Object.fromEntries(redacted)
}

/** Shorter ones are found in innocent words too. */
const MIN_SECRET_CHARACTERS = 6

/** The value, and the parts of it that are secret by themselves: behind the scheme, in each cookie. */
function secretsIn(value: string): readonly string[] {
  const parts = [value, ...value.split(/[\s;,]+/).flatMap((part) => [part, part.slice(part.indexOf('=') + 1)])]
  const found = parts.map((part) => part.trim()).filter((part) => part.length >= MIN_SECRET_CHARACTERS)
  // Longest first: a part that goes first would break the whole up.
  return [...new Set(found)].sort((one, other) => other.length - one.length)
}

function redactText(text: string, secrets: readonly string[]): string {
  return redactUrl(secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text))
}

/**
 * A URL as it may stand in a log: without user and password, values of secret parameters, and keys in its path.
 *
 * @example
 * redactUrl('https://host/v1beta/models?key=secret')
 */
export function redactUrl(url: string): string {
  return redactParameters(url.replace(/\/\/[^/?#\s]*@/g, `//${REDACTED}@`)).replace(KEY_SHAPE, REDACTED)
}

/** A secret goes up to the next `&`; a value that is no secret may hold parameters itself. */
function redactParameters(text: string): string {
  const names = /[?&;#]([^=&;#?\s]*)=/g
  let redacted = ''
  let shownTo = 0
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    if (!isSecretName(decoded(match[1] ?? '').toLowerCase())) continue
    const secret = /^[^&#\s]*/.exec(text.slice(names.lastIndex))?.[0] ?? ''
    redacted += text.slice(shownTo, names.lastIndex) + (secret === '' ? '' : REDACTED)
    shownTo = names.lastIndex + secret.length
    names.lastIndex = shownTo
  }
  return redacted + text.slice(shownTo)
}

/** Keys of providers, by the prefixes that they give them. */
const KEY_SHAPE = /(?<![A-Za-z0-9])(?:(?:sk|pk|rk|gsk|xai|ghp|gho)[-_]|AIza|AKIA|ASIA)[-_A-Za-z0-9]{12,}/g

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Headers that identify whoever pays for the call, and stay the same from call to call. */
const CREDENTIAL_HEADERS = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'ocp-apim-subscription-key',
  'cf-aig-authorization',
  'helicone-auth',
  'x-litellm-api-key',
  'x-portkey-api-key',
]

/**
 * What tells one tenant from another: every credential of the request, since any one of them may be a dummy that tenants
 * share. A signature of AWS counts by its access key, because it changes with every call; cookies count only where there
 * is nothing else. Undefined: the request carries none. It is a secret: hash it with a key before it goes anywhere.
 *
 * @example
 * credentialOf({ 'x-api-key': 'sk-1' }, 'https://api.example.com/v1/messages') // 'sk-1'
 */
export function credentialOf(headers: HeaderFields, url: string): string | undefined {
  const entries = headerEntries(headers)
  const inHeaders = CREDENTIAL_HEADERS.flatMap((wanted) =>
    entries.filter(([name]) => name === wanted).map(([, value]) => withoutScheme(value)),
  )
  const found = [...inHeaders, ...keysOf(url)].filter((value) => value !== '')
  if (found.length === 0) found.push(...entries.filter(([name]) => name === 'cookie').map(([, value]) => value))
  // The same key may come twice, by different ways. A newline cannot stand in a header or a URL.
  return found.length === 0 ? undefined : [...new Set(found)].join('\n')
}

function withoutScheme(value: string): string {
  const accessKey = /^AWS4-[\w-]+\s.*?Credential=([^/,\s]+)/.exec(value)?.[1]
  return accessKey ?? value.replace(/^(?:bearer|basic|token)(?:\s+|$)/i, '').trim()
}

/** Parameters by which Google and gateways take a key, and AWS a signature. */
const KEY_PARAMETERS: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'api-key',
  'apikey',
  'subscription-key',
  'access_token',
  'x-amz-credential',
])

function keysOf(url: string): readonly string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? ''
  return query.split('&').flatMap((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (!KEY_PARAMETERS.has(decoded(name).toLowerCase())) return []
    return [name.toLowerCase() === 'x-amz-credential' ? (decoded(value).split('/')[0] ?? '') : value]
  })
}
