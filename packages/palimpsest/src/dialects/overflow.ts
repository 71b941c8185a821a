import { wellFormed } from '../engine/json/well-formed.ts'
import type { OverflowContext, OverflowFacts } from './dialect.ts'
import { type Evidence, evidenceOf } from './overflow-evidence.ts'
import {
  BYTES_CODES,
  BYTES_WORDINGS,
  CAP_WORDINGS,
  INPUT_CODES,
  INPUT_WORDINGS,
  OUTPUT_WORDINGS,
  type OverflowWording,
  RATE_BUCKET,
  REASONING_BOUND,
  VETO_STATUSES,
  VETO_WORDINGS,
} from './overflow-table.ts'

/**
 * Does this failure mean that the request was too large? Takes errors of any SDK, response bodies (objects or text), stream
 * events and wrappers of them. Codes and wording decide; a rate limit, a refused key or an output cap above the model's
 * own is never overflow. Undefined: it is something else. Never throws.
 */
export function overflowFacts(failure: unknown, context: OverflowContext): OverflowFacts | undefined {
  for (const evidence of evidenceOf(failure)) {
    const verdict = judge(evidence, context)
    if (verdict === 'other') return undefined
    if (verdict !== undefined) return verdict
  }
  return undefined
}

/** Facts, `other` for what is surely something else, undefined for what tells nothing. */
function judge(evidence: Evidence, context: OverflowContext): OverflowFacts | 'other' | undefined {
  const bucket = rateBucket(evidence)
  if (bucket !== undefined) return bucket
  if (isVetoed(evidence)) return 'other'
  return (
    reasoningBound(evidence) ??
    outputTooLarge(evidence, context) ??
    (matchAny(CAP_WORDINGS, evidence.texts) ? 'other' : undefined) ??
    inputTooLarge(evidence) ??
    bytesTooLarge(evidence) ??
    wordless(evidence, context)
  )
}

function rateBucket(evidence: Evidence): OverflowFacts | undefined {
  for (const text of evidence.texts) {
    const numbers = numbersOf(RATE_BUCKET.exec(text))
    if (numbers.size !== undefined && numbers.limit !== undefined && numbers.size > numbers.limit) {
      return facts('rate-bucket', text, numbers.limit, numbers.size)
    }
  }
  return undefined
}

function isVetoed(evidence: Evidence): boolean {
  for (const status of evidence.statuses) if (VETO_STATUSES.has(status)) return true
  return matchAny(VETO_WORDINGS, evidence.texts) || matchAny(VETO_WORDINGS, [...evidence.codes])
}

function matchAny(patterns: readonly RegExp[], texts: readonly string[]): boolean {
  return texts.some((text) => patterns.some((pattern) => pattern.test(text)))
}

function reasoningBound(evidence: Evidence): OverflowFacts | undefined {
  if (evidence.statuses.size > 0 && !evidence.statuses.has(400)) return undefined
  const text = evidence.texts.find((candidate) => matchAny(REASONING_BOUND, [candidate]))
  return text === undefined ? undefined : facts('reasoning-bound', text)
}

function outputTooLarge(evidence: Evidence, context: OverflowContext): OverflowFacts | undefined {
  const found = firstMatch(OUTPUT_WORDINGS, evidence.texts)
  if (found === undefined) return undefined
  const { limit = 0, size = 0, more = 0, output = 0 } = numbersOf(found.match)
  const input = size + more
  // A server that stops counting once it is over reports one token too many, however long the input is (or it counts
  // characters alone): then our own estimate tells more.
  const isCounted = input > 0 && input + output !== limit + 1
  const inputFits = (isCounted ? input : context.size) < limit
  return facts(inputFits ? 'output' : 'tokens', found.text, limit, isCounted ? input : undefined)
}

function inputTooLarge(evidence: Evidence): OverflowFacts | undefined {
  const found = firstMatch(INPUT_WORDINGS, evidence.texts)
  const hasCode = [...evidence.codes].some((code) => INPUT_CODES.has(code))
  if (found === undefined && !hasCode) return undefined
  const numbers = numbersOf(found?.match ?? null)
  const limit = evidence.contextTokens ?? numbers.limit
  const size = evidence.promptTokens ?? numbers.size ?? numbers.total
  return facts('tokens', found?.text ?? lastText(evidence), limit, size)
}

/** Wordings go from telling to vague, so the first that any layer matches has the most; the innermost is the provider's. */
function firstMatch(
  wordings: readonly OverflowWording[],
  texts: readonly string[],
): { readonly text: string; readonly match: RegExpExecArray } | undefined {
  for (const { pattern } of wordings) {
    for (const text of texts.toReversed()) {
      const match = pattern.exec(text)
      if (match !== null) return { text, match }
    }
  }
  return undefined
}

function bytesTooLarge(evidence: Evidence): OverflowFacts | undefined {
  const worded = evidence.texts.filter((text) => !isWordless(text))
  for (const pattern of BYTES_WORDINGS) {
    for (const text of worded) {
      const match = pattern.exec(text)
      if (match !== null) return facts('bytes', text, bytesOf(match))
    }
  }
  if (![...evidence.codes].some((code) => BYTES_CODES.has(code))) return undefined
  return facts('bytes', lastText(evidence))
}

/** A share of the window from which an unexplained refusal is taken for overflow: estimates may be this far off. */
const NEAR_WINDOW = 0.7

/** Some servers and proxies refuse with a bare status: only a request that was near the window can have been too large. */
function wordless(evidence: Evidence, context: OverflowContext): OverflowFacts | undefined {
  const status = [400, 413].find((code) => evidence.statuses.has(code))
  if (status === undefined || !evidence.texts.every(isWordless)) return undefined
  if (!(context.size >= context.window * NEAR_WINDOW)) return undefined
  return facts('tokens', `HTTP ${status} without an explanation`)
}

/** What SDKs and servers say when there is nothing to say. */
function isWordless(text: string): boolean {
  const words = text
    .replace(/[^a-z]+/gi, ' ')
    .trim()
    .toLowerCase()
  return WORDLESS.has(words)
}

const WORDLESS: ReadonlySet<string> = new Set([
  '',
  'status code no body',
  'no status code or body',
  'request failed with status code',
  'bad request',
  'content too large',
  'payload too large',
  'request entity too large',
  'unknown error',
  'unknownerror',
  'error',
])

function lastText(evidence: Evidence): string {
  return evidence.texts.findLast((text) => !isWordless(text)) ?? [...evidence.codes].join(', ')
}

function numbersOf(match: RegExpExecArray | null): { readonly [group: string]: number | undefined } {
  const numbers: Record<string, number> = {}
  for (const [group, digits] of Object.entries(match?.groups ?? {})) {
    if (digits === undefined) continue
    const value = Number(digits.replace(/[,_]/g, ''))
    if (Number.isSafeInteger(value)) numbers[group] = value
  }
  return numbers
}

const UNITS: { readonly [unit: string]: number } = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

function bytesOf(match: RegExpExecArray): number | undefined {
  const count = Number(match.groups?.bytes?.replace(/[,_]/g, ''))
  if (!Number.isSafeInteger(count)) return undefined
  return count * (UNITS[match.groups?.unit?.[0]?.toLowerCase() ?? ''] ?? 1)
}

function facts(kind: OverflowFacts['kind'], text: string, limit?: number, size?: number): OverflowFacts {
  return {
    kind,
    ...(limit !== undefined && limit > 0 ? { limit } : {}),
    ...(size !== undefined && size > 0 ? { size } : {}),
    detail: shortDetail(text),
  }
}

/** Characters of a provider's words that are passed on. */
const MAX_DETAIL = 300

function shortDetail(text: string): string {
  const masked = wellFormed(maskSecrets(text.replace(/\s+/g, ' ').trim()))
  return masked.length <= MAX_DETAIL ? masked : `${masked.slice(0, MAX_DETAIL - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function maskSecrets(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 [masked]')
    .replace(
      /((?:api[-_ ]?key|access[-_ ]?token|secret|password|[?&]key)["']?\s*[:=]\s*["']?)[^\s"',;&]+/gi,
      '$1[masked]',
    )
    .replace(/\b(?:sk|pk|rk|gsk|xai|ghp|gho|org|AIza|AKIA)[-_A-Za-z0-9]{12,}/g, '[masked]')
    .replace(/\b(?=[\w+/.=-]*\d)(?=[\w+/.=-]*[A-Za-z])[\w+/=-]{32,}(?:\.[\w+/=-]+)*/g, '[masked]')
}

/** What a successful answer tells about how much of the input the model saw. */
export interface AnswerFacts {
  /** Prompt tokens that the answer reports, cached ones included. */
  readonly usageInput?: number | undefined
  /** The finish or stop reason, as the provider spells it. */
  readonly finishReason?: string | undefined
  /** HTTP status; anything but a success belongs to `overflowFacts`. */
  readonly status?: number | undefined
}

/** An estimate this much above the limit is not just an estimate that is off. */
const CLEARLY_ABOVE = 1.25
/** Prompt tokens from this share of the limit on sit at it: servers that cut may drop whole messages. */
const AT_LIMIT = 0.9
/** Tokens that Ollama keeps of the beginning when it cuts a prompt to half of its context. */
const KEPT_BEGINNING = 16

/**
 * Did an answer that is no error come from input that did not fit? By its finish reason, by more prompt tokens than the
 * window holds, or (servers that cut silently) by a prompt that sits at the limit though clearly more was sent.
 */
export function silentOverflow(answer: AnswerFacts, context: OverflowContext): OverflowFacts | undefined {
  if (answer.status !== undefined && (answer.status < 200 || answer.status >= 300)) return undefined
  const input = answer.usageInput !== undefined && answer.usageInput > 0 ? answer.usageInput : 0
  if (answer.finishReason === 'model_context_window_exceeded') {
    return facts('silent', `finish reason ${answer.finishReason}`, undefined, input)
  }
  if (input > context.window) {
    return facts('silent', `${input} prompt tokens in a window of ${context.window}`, undefined, input)
  }
  const limit = limitSatAt(input, context.window)
  if (limit === undefined || context.size < limit * CLEARLY_ABOVE) return undefined
  return facts('silent', `${input} prompt tokens read, about ${context.size} sent`, limit)
}

/**
 * The context size at which a prompt of `input` tokens was cut, if the number looks cut. Ollama cuts to `num_ctx`, newer
 * versions to half of it and a few tokens; without a setting of its own that is a power of two.
 */
function limitSatAt(input: number, window: number): number | undefined {
  if (input >= window * AT_LIMIT) return window
  return [window, ...POWERS_OF_TWO].find((size) => {
    const half = Math.floor(size / 2)
    return input === size || (input > half && input <= half + KEPT_BEGINNING)
  })
}

const POWERS_OF_TWO: readonly number[] = [2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144]
