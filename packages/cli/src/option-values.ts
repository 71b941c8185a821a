import type { ClientFormatName } from '@palimpsest/sessions'
import { InvalidArgumentError } from 'commander'
import type { KeepWindow } from 'palimpsest'

const requestFormats = ['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock', 'ai-sdk'] as const

const clientFormats = [
  'claude-code',
  'codex',
  'pi',
  'gemini-cli',
  'opencode',
  'copilot-cli',
  'openhands',
  'swe-agent',
  'tau-bench',
  'langsmith',
] as const satisfies readonly ClientFormatName[]

/** Formats that `--format` takes: `auto`, the dialects of request bodies, and the clients' session files. */
export const formatNames = ['auto', ...requestFormats, ...clientFormats] as const

export type FormatName = (typeof formatNames)[number]

/** A number of tokens: `200000`, `200_000`, `200k`, `1.5M`. */
export function tokenCount(text: string): number {
  const match = /^(\d[\d_]*(?:\.\d+)?)([kM]?)$/.exec(text)
  const factor = match?.[2] === 'k' ? 1_000 : match?.[2] === 'M' ? 1_000_000 : 1
  const value = Number(match?.[1]?.replaceAll('_', '')) * factor
  if (!Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It wants a whole number of tokens: 200000, 200k or 1M.')
  }
  return value
}

/** A number of tokens above zero. */
export function positiveTokenCount(text: string): number {
  const value = tokenCount(text)
  if (value === 0) throw new InvalidArgumentError('It must be above zero.')
  return value
}

const keepHint = 'It wants messages:6, steps:3, tokens:20k, messages:10%, tokens:10% or 10% (of the window).'

/** How much of the newest part stays untouched: `messages:6`, `steps:3`, `tokens:20k`, `messages:10%`, `10%`. */
export function keepWindow(text: string): KeepWindow {
  const match = /^(?:(messages|steps|tokens|window):)?([\d._]+[kM]?)(%?)$/.exec(text)
  if (match === null) throw new InvalidArgumentError(keepHint)
  const [, unit, amount = '', percent] = match
  if (percent === '%') return keptShare(unit ?? 'window', Number(amount) / 100)
  if (unit === 'steps') return { steps: tokenCount(amount) }
  if (unit === 'tokens') return { tokens: tokenCount(amount) }
  if (unit === 'messages') return { messages: tokenCount(amount) }
  throw new InvalidArgumentError(keepHint)
}

function keptShare(of: string, fraction: number): KeepWindow {
  if (!(fraction >= 0 && fraction < 1)) throw new InvalidArgumentError(keepHint)
  if (of === 'messages' || of === 'tokens' || of === 'window') return { fraction, of }
  throw new InvalidArgumentError(keepHint)
}

/** Names with commas between them: `palimpsest,hango`. Each at most once, in the order given. */
export function nameList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('It wants names with commas between them.')
  return [...new Set(names)]
}

/** The same for an option that may be given again: all that its lists name. */
export function collectedNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...nameList(text)]
}

/** A share of the window: `0.85`. */
export function windowShare(text: string): number {
  const value = /^(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('It wants a share of the window, from 0 to 1: 0.85.')
  return value
}

/** A whole number above zero. */
export function positiveCount(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value) || value === 0) throw new InvalidArgumentError('It wants a whole number above 0.')
  return value
}
