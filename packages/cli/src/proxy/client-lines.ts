import type { Provider } from './upstreams.ts'

export interface ClientLinesSetup {
  /** The proxy's address, without a path. */
  readonly url: string
  /** Must clients send a token? */
  readonly token: boolean
  readonly serves: (provider: Provider) => boolean
}

/** For each client one line that points it at the proxy. A token is never shown: its place is. */
export function clientLines({ url, token, serves }: ClientLinesSetup): readonly string[] {
  const base = token ? `${url}/t/$PALIMPSEST_TOKEN` : url
  return CLIENTS.filter(({ provider }) => serves(provider)).map(({ name, line }) => `${name.padEnd(22)}${line(base)}`)
}

interface ClientLine {
  readonly provider: Provider
  readonly name: string
  readonly line: (base: string) => string
}

const CLIENTS: readonly ClientLine[] = [
  { provider: 'anthropic', name: 'Claude Code', line: (base) => `ANTHROPIC_BASE_URL=${base} claude` },
  {
    provider: 'openai',
    name: 'Codex',
    line: (base) =>
      'codex -c model_provider=palimpsest -c ' +
      `"model_providers.palimpsest={name='Palimpsest',base_url='${base}/v1',env_key='OPENAI_API_KEY',wire_api='responses'}"`,
  },
  { provider: 'google', name: 'Gemini CLI', line: (base) => `GOOGLE_GEMINI_BASE_URL=${base} gemini` },
  { provider: 'anthropic', name: 'SDK of Anthropic', line: (base) => `ANTHROPIC_BASE_URL=${base}` },
  { provider: 'openai', name: 'SDK of OpenAI', line: (base) => `OPENAI_BASE_URL=${base}/v1` },
  {
    provider: 'bedrock',
    name: 'SDK of AWS',
    line: (base) => `AWS_ENDPOINT_URL_BEDROCK_RUNTIME=${base} (with AWS_BEARER_TOKEN_BEDROCK)`,
  },
]
