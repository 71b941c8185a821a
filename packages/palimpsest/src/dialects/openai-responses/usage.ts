import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { fieldsOf, tokenCount } from '../json-fields.ts'
import { filledWindow, reportedInput } from '../openai-usage.ts'
import { overflowFacts, silentOverflow } from '../overflow.ts'

/** Usage of a response, or of the stream event that carries one. Input already contains what a cache served. */
export function readUsage(response: unknown): Usage | undefined {
  const usage = fieldsOf(responseOf(response).usage)
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(usage.input_tokens_details)
  const input = reportedInput(usage.input_tokens, usage.total_tokens)
  if (input === undefined) return undefined
  return {
    input,
    cacheRead: tokenCount(cached),
    cacheWrite: tokenCount(written),
    output: tokenCount(usage.output_tokens),
  }
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
  const usageInput = readUsage(response)?.input
  return filledWindow(usageInput, context) ?? silentOverflow({ usageInput }, context) ?? 'ok'
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
