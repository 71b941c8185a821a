import { TOKEN_HEADER } from './access-token.ts'

/** Headers of one connection: they end where it ends. What is meant for the proxy ends here too. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  TOKEN_HEADER,
])

/** The headers that go on to the other side: also without those that `connection` names. */
export function withoutHopHeaders(headers: Headers): [string, string][] {
  const named = (headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase())
  return [...headers].filter(([name]) => !HOP_HEADERS.has(name) && !named.includes(name))
}
