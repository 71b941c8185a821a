import { PalimpsestError } from '../errors.ts'
import { TOKEN_FAMILIES } from './feature-weights.ts'
import type { ModelProfile, ProfileOverrides } from './profiles.ts'

/**
 * Overrides from the JSON of `PALIMPSEST_MODEL_PROFILES`: `{"model": {"max_input_tokens": 32000, "trigger_frac": 0.7}}`, names
 * in snake_case or camelCase.
 *
 * @throws PalimpsestError `invalid-input` that names the model and key that is wrong.
 *
 * @example
 * parseProfileOverrides('{"my-model": {"max_input_tokens": 32000}}')
 */
export function parseProfileOverrides(json: string): ProfileOverrides {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw new PalimpsestError('invalid-input', `The model profiles are not JSON: ${(cause as Error).message}`, {
      hint: 'They are an object such as {"my-model": {"max_input_tokens": 32000}}.',
      cause,
    })
  }
  const models = Object.entries(object(value, 'the value'))
  return Object.fromEntries(models.map(([model, fields]) => [model, overrideOf(model, object(fields, model))]))
}

function overrideOf(model: string, fields: Record<string, unknown>): ProfileOverrides[string] {
  const read = Object.entries(fields).map(([key, value]) => {
    const field = fieldOf(key)
    if (field === undefined) wrong(`${model}.${key}`, `is not known; known are ${Object.keys(FIELDS).join(', ')}`)
    if (!field.holds(value)) wrong(`${model}.${key}`, `must be ${field.text}`)
    return [field.name, field.name === 'prices' ? camelCased(value as Record<string, unknown>) : value] as const
  })
  const names = read.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) wrong(model, `says ${twice} twice, under two names`)
  return Object.fromEntries(read)
}

interface Field {
  readonly name: keyof ModelProfile
  readonly holds: (value: unknown) => boolean
  readonly text: string
}

const COUNT = {
  holds: (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0,
  text: 'a whole number above 0',
}
const SHARE = {
  holds: (value: unknown) => typeof value === 'number' && value > 0 && value <= 1,
  text: 'a number above 0, at most 1',
}
const FLAG = { holds: (value: unknown) => typeof value === 'boolean', text: 'true or false' }

/** Keys in snake_case; several may stand for one field. */
const FIELDS: Readonly<Record<string, Field>> = {
  max_input_tokens: { name: 'window', ...COUNT },
  window: { name: 'window', ...COUNT },
  context_window: { name: 'window', ...COUNT },
  max_output_tokens: { name: 'maxOutput', ...COUNT },
  max_output: { name: 'maxOutput', ...COUNT },
  caching: { name: 'caching', ...FLAG },
  strict_alternation: { name: 'strictAlternation', ...FLAG },
  trigger_frac: { name: 'triggerFrac', ...SHARE },
  keep_frac: { name: 'keepFrac', ...SHARE },
  summarizer_model: {
    name: 'summarizerModel',
    holds: (value) => typeof value === 'string' && value !== '',
    text: 'a model id',
  },
  thinking_binding: {
    name: 'thinkingBinding',
    holds: (value) => value === 'none' || value === 'turn' || value === 'prefix',
    text: 'none, turn or prefix',
  },
  family: {
    name: 'family',
    holds: (value) => TOKEN_FAMILIES.some((family) => family === value),
    text: `one of ${TOKEN_FAMILIES.join(', ')}`,
  },
  prices: {
    name: 'prices',
    holds: arePrices,
    text: 'input and output, and perhaps cache_read and cache_write, in dollars per million tokens',
  },
}

function fieldOf(key: string): Field | undefined {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
}

const PRICES = ['input', 'output', 'cacheRead', 'cacheWrite']

function arePrices(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const prices = camelCased(value as Record<string, unknown>)
  const known = Object.entries(prices).every(
    ([name, price]) => PRICES.includes(name) && typeof price === 'number' && price >= 0 && Number.isFinite(price),
  )
  return known && 'input' in prices && 'output' in prices
}

function camelCased(record: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.entries(record).map(
    ([key, value]) => [key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()), value] as const,
  )
  return Object.fromEntries(renamed)
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) wrong(what, 'must be an object')
  return value as Record<string, unknown>
}

function wrong(where: string, what: string): never {
  throw new PalimpsestError('invalid-input', `Model profiles: ${where} ${what}.`, {
    hint: 'The shape is {"my-model": {"max_input_tokens": 32000, "trigger_frac": 0.8}}.',
  })
}
