import type { FailureFacts } from './failure-facts.ts'

/** Milliseconds after which the provider takes the call again, as its headers or its words have it. */
export function retryAfter({
  headers,
  body,
  message,
}: Pick<FailureFacts, 'headers' | 'body' | 'message'>): number | undefined {
  const header = (name: string) => headers[name]?.trim()
  const stated =
    amount(header('retry-after-ms'), 1) ??
    amount(header('retry-after'), 1_000) ??
    untilDate(header('retry-after'), header('date')) ??
    untilReset(headers) ??
    duration(/"retryDelay":\s*"([^"]{1,20})"/.exec(body)?.[1]) ??
    amount(/"resets_in_seconds":\s*(\d+)/.exec(body)?.[1], 1_000) ??
    duration(/try again in ((?:[\d.]+(?:ms|[smhd])\s?)+)/i.exec(message)?.[1])
  return stated === undefined ? undefined : Math.max(0, Math.ceil(stated))
}

function amount(text: string | undefined, unit: number): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * unit : undefined
}

/** By the server's own clock: ours may be wrong. */
function untilDate(text: string | undefined, now: string | undefined): number | undefined {
  const wait = Date.parse(text ?? '') - Date.parse(now ?? '')
  return Number.isNaN(wait) ? undefined : wait
}

/** The limits of which nothing is left say when there is something again: as a duration (OpenAI) or a time (Anthropic). */
function untilReset(headers: FailureFacts['headers']): number | undefined {
  const waits = Object.keys(headers).flatMap((name) => {
    const reset = headers[name.replace(/remaining/, 'reset')]
    const isUsedUp = /ratelimit.*remaining/.test(name) && headers[name] === '0'
    if (!isUsedUp || reset === undefined) return []
    return duration(reset) ?? amount(reset, 1_000) ?? untilDate(reset, headers.date) ?? []
  })
  return waits.length === 0 ? undefined : Math.max(...waits)
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `6m0s`, `1.5s`, `120ms`. */
function duration(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:[\d.]+(?:ms|[smhd])\s?)+$/.test(text)) return undefined
  const pieces = [...text.matchAll(/([\d.]+)(ms|[smhd])/g)]
  return pieces.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
}
