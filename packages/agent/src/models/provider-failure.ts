import { PalimpsestError } from 'palimpsest'
import type { AgentModel } from './agent-model.ts'
import { causesOf, type FailureFacts, failureFacts } from './failure/failure-facts.ts'
import { providerWords } from './failure/provider-words.ts'
import { retryAfter } from './failure/retry-after.ts'
import { KEY_VARIABLES } from './providers/keys.ts'
import { chatKeyVariables } from './providers/openai-chat.ts'

/**
 * A model call that failed: in one line, with nothing of what was sent and no secret in it. It has no cause: SDKs put
 * the request there.
 *
 * @example
 * const { error } = await agent.send('Why does the build fail?')
 * if (error instanceof ProviderFailure && error.retryable) console.error(error.message)
 */
export class ProviderFailure extends PalimpsestError {
  /** The HTTP status, or what the error of a stream stands for. */
  readonly status?: number
  /** Is the same call worth another try? */
  readonly retryable: boolean
  /** Milliseconds after which the provider takes it again, where it says so. */
  readonly retryAfter?: number

  constructor(message: string, facts: FailureTraits) {
    super('effect-failed', message, facts.hint === undefined ? {} : { hint: facts.hint })
    this.name = 'ProviderFailure'
    this.retryable = facts.retryable
    if (facts.status !== undefined) this.status = facts.status
    if (facts.retryAfter !== undefined) this.retryAfter = facts.retryAfter
  }
}

interface FailureTraits {
  readonly retryable: boolean
  readonly hint?: string | undefined
  readonly status?: number | undefined
  readonly retryAfter?: number | undefined
}

type CalledModel = Pick<AgentModel, 'name' | 'provider' | 'id' | 'upstream' | 'conceal'>

/** What an error of a model call means: whatever was thrown, or stood in its stream. */
export function providerFailure(error: unknown, model: CalledModel): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  const own = causesOf(error).find((cause) => cause instanceof PalimpsestError)
  if (own !== undefined) return new ProviderFailure(own.message, { retryable: false, hint: own.hint })
  const facts = failureFacts(error)
  const { what, retryable, hint, isWhole = false } = verdictOf(facts, model)
  const told = model.conceal?.(facts.message) ?? facts.message
  const words = isWhole ? '' : providerWords(told, facts.request, [model.id])
  const wait = retryAfter(facts)
  return new ProviderFailure(`${model.name}: ${what}${words === '' ? '' : `: ${words}`}`, {
    retryable: toldToRetry(facts) ?? retryable,
    hint,
    status: facts.status,
    retryAfter: wait,
  })
}

interface Verdict {
  readonly what: string
  /** Would the words of the error only repeat it? */
  readonly isWhole?: boolean
  readonly retryable: boolean
  readonly hint?: string
}

/** Some servers say it outright. */
function toldToRetry({ headers }: FailureFacts): boolean | undefined {
  const told = headers['x-should-retry']
  return told === 'true' ? true : told === 'false' ? false : undefined
}

function verdictOf(facts: FailureFacts, model: CalledModel): Verdict {
  const host = facts.host ?? model.upstream
  const { status } = facts
  if (facts.network !== undefined && status === undefined) return networkVerdict(facts.network, host)
  if (isUsedUp(facts)) {
    return { what: `${host} has no more for this account${statusText(status)}`, retryable: false, hint: USED_UP }
  }
  if (isKeyRefused(facts)) return keyVerdict(status === 403 ? 403 : 401, facts, model)
  if (status === 404) return missingVerdict(host, model)
  if (status === 429) return { what: `${host} limits the rate (429)`, retryable: true }
  if (status === 413) return { what: `the request is too large for ${host} (413)`, retryable: false }
  if (status === 529 || status === 503) return { what: `${host} is overloaded (${status})`, retryable: true }
  if (status !== undefined && (status >= 500 || status === 408 || status === 409)) {
    return { what: `${host} failed (${status})`, retryable: true }
  }
  if (status !== undefined) return refusal(status, host, facts)
  const retryable = facts.begun ? !isRefusal(facts.message) : facts.broken || isBroken(facts.message)
  return { what: `the call to ${host} failed`, retryable }
}

function statusText(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`
}

const USED_UP = 'Check the plan and billing of the account, or use another model (--model, /model).'

/** Credit or plan, which no waiting of seconds brings back. */
function isUsedUp({ status, words, message }: FailureFacts): boolean {
  return (
    status === 402 ||
    /insufficient_quota|usage_limit_reached|usage_not_included|billing/.test(words) ||
    /credit balance is too low/i.test(message)
  )
}

/** Google calls a wrong key an invalid argument. */
function isKeyRefused({ status, message }: FailureFacts): boolean {
  return status === 401 || status === 403 || (status === 400 && /api key (?:not valid|expired)/i.test(message))
}

function keyVerdict(status: number, { words }: FailureFacts, model: CalledModel): Verdict {
  const what =
    status === 401 ? `${model.upstream} does not take the key (401)` : `${model.upstream} denies access (403)`
  if (model.provider === 'codex') {
    return { what, retryable: false, hint: 'Run `codex login` again, or check that the plan includes Codex.' }
  }
  const variables = keyVariables(model).join(' or ')
  const access = status === 403 || /permission/.test(words) ? `, and that its account may use ${model.id}` : ''
  return { what, retryable: false, hint: `Check ${variables}${access}.` }
}

function keyVariables({ provider, upstream }: CalledModel): readonly string[] {
  if (provider === 'openai-chat') return chatKeyVariables({ host: upstream, from: 'OPENAI_BASE_URL' })
  return (KEY_VARIABLES as Readonly<Record<string, readonly string[]>>)[provider] ?? ['the key']
}

function missingVerdict(host: string, { provider, id }: CalledModel): Verdict {
  const local =
    provider === 'openai-chat' ? ` A server on this machine may have to load it first (\`ollama pull ${id}\`).` : ''
  return {
    what: `${host} does not know ${id} (404)`,
    retryable: false,
    hint: `Check the model's id, whether the account may use it, and the base URL.${local}`,
  }
}

function refusal(status: number, host: string, { message }: FailureFacts): Verdict {
  const what = `${host} refused the call (${status})`
  if (!/on-demand throughput/i.test(message)) return { what, retryable: false }
  const hint = 'Name an inference profile: the id with the prefix of a region, such as us.anthropic.claude-sonnet-5-5.'
  return { what, retryable: false, hint }
}

function networkVerdict(code: string, host: string): Verdict {
  if (/CERT|UNABLE_TO/.test(code)) {
    const hint = 'Where a proxy signs with its own certificate, name that in NODE_EXTRA_CA_CERTS.'
    return { what: `the certificate of ${host} is not trusted (${code})`, retryable: false, hint }
  }
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(host)
  const hint = isLocal ? `Is the server at ${host} running?` : 'Check the network, the base URL and the proxy settings.'
  const known = NETWORK[code]
  const what = known?.replace('HOST', host) ?? 'the connection failed'
  return { what: `${what} (${code})`, isWhole: known !== undefined, retryable: true, hint }
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'HOST cannot be reached',
  ENOTFOUND: 'HOST cannot be found',
  EAI_AGAIN: 'HOST cannot be found',
  EHOSTUNREACH: 'HOST cannot be reached',
  ENETUNREACH: 'HOST cannot be reached',
  ECONNRESET: 'HOST broke the connection off',
  EPIPE: 'HOST broke the connection off',
  UND_ERR_SOCKET: 'HOST broke the connection off',
  ETIMEDOUT: 'HOST does not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'HOST does not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'HOST does not answer in time',
  UND_ERR_BODY_TIMEOUT: 'HOST does not answer in time',
}

/** Bedrock's exceptions lose their type on the way through the SDK. */
function isRefusal(message: string): boolean {
  return /invalid|malformed|validation|too long|not supported/i.test(message)
}

/** Errors without a status or code: of the line, where they say so. */
function isBroken(message: string): boolean {
  return /ended before|broke|closed|terminated|time(?:d )?out|fetch failed|network|overload|try again/i.test(message)
}
