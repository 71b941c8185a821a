import { InvalidArgumentError } from 'commander'

/** Formats that `--format` takes: `auto`, the dialects of request bodies, and the clients' session files. */
export const formatNames = [
  'auto',
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
  'bedrock',
  'ai-sdk',
  'claude-code',
  'codex',
  'pi',
] as const

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

/** What `--keep` asks for. */
export type KeepChoice =
  | { readonly messages: number }
  | { readonly steps: number }
  | { readonly tokens: number }
  | { readonly fraction: number; readonly of: 'messages' | 'tokens' }

const keepHint = 'It wants messages:6, steps:3, tokens:20k, 10% (of the tokens) or messages:10%.'

/** How much of the newest part stays untouched: `messages:6`, `steps:3`, `tokens:20k`, `10%`, `messages:10%`. */
export function keepChoice(text: string): KeepChoice {
  const match = /^(?:(messages|steps|tokens):)?([\d._]+[kM]?)(%?)$/.exec(text)
  const [, unit = 'messages', amount = '', percent] = match ?? []
  if (match === null) throw new InvalidArgumentError(keepHint)
  if (percent === '%') return keptShare(match[1], Number(amount) / 100)
  if (match[1] === undefined) throw new InvalidArgumentError(keepHint)
  const value = tokenCount(amount)
  if (unit === 'steps') return { steps: value }
  return unit === 'tokens' ? { tokens: value } : { messages: value }
}

function keptShare(unit: string | undefined, fraction: number): KeepChoice {
  if (unit === 'steps' || !(fraction >= 0 && fraction < 1)) throw new InvalidArgumentError(keepHint)
  return { fraction, of: unit === 'messages' ? 'messages' : 'tokens' }
}

/** Names with commas between them: `palimpsest,hango`. Each at most once, in the order given. */
export function nameList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('It wants names with commas between them.')
  return [...new Set(names)]
}
