import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { fieldsOf } from '../json-fields.ts'
import { overflowFacts } from '../overflow.ts'

/** Usage of a response, or of the stream event that carries one. Input already contains what a cache served. */
export function readUsage(response: unknown): Usage | undefined {
  const usage = fieldsOf(responseOf(response).usage)
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(usage.input_tokens_details)
  const input = count(usage.input_tokens)
  const total = usage.total_tokens
  // A usage that contradicts itself, or counts nothing, is none.
  if (input === 0 || (typeof total === 'number' && total < input)) return undefined
  return { input, cacheRead: count(cached), cacheWrite: count(written), output: count(usage.output_tokens) }
}

/** Was the input cut or refused, though the call succeeded? */
export function judgeOutcome(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const body = responseOf(response)
  const reason = fieldsOf(body.incomplete_details).reason
  if (typeof reason === 'string' && /context_(window|length)/.test(reason)) {
    return { kind: 'silent', limit: context.window, detail: `incomplete: ${reason}` }
  }
  if (body.status === 'failed' || fieldsOf(response).type === 'error') {
    return failedOutcome(body.status === 'failed' ? body.error : response, context)
  }
  const input = readUsage(response)?.input ?? 0
  if (input < context.window || context.window <= 0) return 'ok'
  return {
    kind: 'silent',
    limit: context.window,
    size: input,
    detail: `usage of ${input} input tokens fills the window`,
  }
}

function failedOutcome(error: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const { code, message } = fieldsOf(error)
  const known = overflowFacts(error, context)
  if (known !== undefined) return known
  if (code !== 'context_length_exceeded') return 'ok'
  return { kind: 'tokens', detail: typeof message === 'string' ? message.slice(0, DETAIL_CHARACTERS) : code }
}

const DETAIL_CHARACTERS = 300

/** Stream events wrap the response. */
function responseOf(value: unknown): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(value)
  return 'response' in fields ? fieldsOf(fields.response) : fields
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}
