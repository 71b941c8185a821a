import { type Route, redactUrl } from 'palimpsest/wire'
import { usageError } from '../error-report.ts'

const PROVIDERS = ['anthropic', 'openai', 'codex', 'google', 'bedrock'] as const
export type Provider = (typeof PROVIDERS)[number]

/** A request of a client, as far as it tells whose it is. */
export interface ClientTarget {
  readonly route: Route
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
}

/** Where calls go. */
export class Upstreams {
  readonly #named: ReadonlyMap<Provider, URL>
  readonly #rest: URL | undefined

  /** @throws PalimpsestError `invalid-input` for a word that is neither a name nor a URL. */
  constructor(words: readonly string[], env: Readonly<Record<string, string | undefined>> = process.env) {
    if (words.length === 0) throw usageError('No upstream is given.', upstreamHint)
    const read = words.map((word) => readUpstream(word, env))
    this.#named = new Map(read.flatMap(({ name, url }) => (name === undefined ? [] : [[name, url] as const])))
    const rest = read.filter(({ name }) => name === undefined)
    if (rest.length > 1) throw usageError('More than one upstream has no name.', upstreamHint)
    this.#rest = rest[0]?.url
  }

  /** The URL that a request goes to; undefined where no upstream is given for its provider. */
  urlOf(request: ClientTarget): string | undefined {
    const provider = providerOf(request)
    const base = this.#named.get(provider) ?? this.#rest ?? this.#instead(provider)
    return base === undefined ? undefined : joined(base, request.target)
  }

  /** Is there an upstream for this provider's clients? */
  serves(provider: Provider): boolean {
    return this.#named.has(provider) || this.#rest !== undefined || this.#instead(provider) !== undefined
  }

  /** In words, without passwords. */
  get shown(): readonly string[] {
    const named = [...this.#named].map(([name, url]) => `${name} ${redactUrl(url.href)}`)
    return this.#rest === undefined ? named : [...named, redactUrl(this.#rest.href)]
  }

  /** The API of OpenAI speaks to Codex too. */
  #instead(provider: Provider): URL | undefined {
    return provider === 'codex' ? this.#named.get('openai') : undefined
  }
}

/** The provider whose call this is. */
export function providerOf({ route, target, headers }: ClientTarget): Provider {
  if (target.startsWith('/backend-api/')) return 'codex'
  if ('dialect' in route) return PROVIDER_OF[route.dialect]
  if (headers.has('x-goog-api-key') || /^\/v\d+(?:alpha|beta|internal)/.test(target)) return 'google'
  if (headers.has('anthropic-version')) return 'anthropic'
  return /^\/(?:model|guardrail)\//.test(target) ? 'bedrock' : 'openai'
}

const PROVIDER_OF = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'openai-codex': 'codex',
  gemini: 'google',
  'bedrock-converse': 'bedrock',
} as const

interface NamedUpstream {
  readonly name: Provider | undefined
  readonly url: URL
}

function readUpstream(word: string, env: Readonly<Record<string, string | undefined>>): NamedUpstream {
  const [, named, given] = /^([a-z]+)(?:=(.*))?$/s.exec(word) ?? []
  if (named === undefined) return { name: undefined, url: readUrl(word) }
  const name = PROVIDERS.find((known) => known === named)
  if (name === undefined) throw usageError(`"${named}" names no upstream that is known.`, upstreamHint)
  return { name, url: readUrl(given ?? ownUrl(name, env)) }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${redactUrl(text).slice(0, 200)}" is no URL of an upstream.`, upstreamHint)
  }
  if (url.search !== '' || url.hash !== '') {
    throw usageError('The URL of an upstream has a query or a fragment.', 'Leave out what stands behind ? or #.')
  }
  return url
}

function ownUrl(name: Provider, env: Readonly<Record<string, string | undefined>>): string {
  if (name !== 'bedrock') return OWN_URLS[name]
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  if (region === undefined || !/^[\w-]+$/.test(region)) {
    throw usageError(
      'The upstream "bedrock" has one URL for each region.',
      'Set AWS_REGION, or say bedrock=https://bedrock-runtime.<region>.amazonaws.com.',
    )
  }
  return `https://bedrock-runtime.${region}.amazonaws.com`
}

const OWN_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  codex: 'https://chatgpt.com',
  google: 'https://generativelanguage.googleapis.com',
} as const

const upstreamHint = `Say --upstream URL, or names: ${PROVIDERS.join(', ')}, each alone or as name=URL.`

/** The base with the request's path behind it; a version that ends one and opens the other stands there once. */
function joined(base: URL, target: string): string {
  const own = base.pathname.replace(/\/+$/, '')
  const path = target.startsWith('/') ? target : `/${target}`
  const version = /\/v\d\w*$/.exec(own)?.[0]
  const isRepeated = version !== undefined && (path === version || path.startsWith(`${version}/`))
  const url = new URL(base)
  url.pathname = own + (isRepeated ? path.slice(version.length) : path).replace(/\?.*$/s, '')
  url.search = /\?(.*)$/s.exec(path)?.[1] ?? ''
  return url.href
}
