import { PalimpsestError } from '../errors.ts'
import type { Preset, RungSpec } from './preset.ts'
import { DEFAULT_PRESET, PRESETS } from './presets.ts'

/**
 * A policy from its JSON: any of a preset's fields, on top of the preset that `extends` names (default: ours).
 *
 * @throws PalimpsestError `invalid-input` that names the JSON pointer of what is wrong and what would work.
 * @example decodePreset({ extends: 'hango', name: 'mine', trigger: { fraction: 0.7, of: 'window' } })
 */
export function decodePreset(json: unknown): Preset {
  const fields = record(json, '')
  for (const key of Object.keys(fields)) {
    if (!Object.hasOwn(CHECKS, key)) fail(`/${key}`, `is not known; known are ${Object.keys(CHECKS).join(', ')}`)
  }
  for (const [key, check] of Object.entries(CHECKS)) {
    if (fields[key] !== undefined) check(fields[key], `/${key}`)
  }
  const base = typeof fields.extends === 'string' ? presetByName(fields.extends) : DEFAULT_PRESET
  const { extends: _extends, ...own } = fields
  return { ...base, name: 'custom', ...own }
}

/**
 * The preset of this name. @throws PalimpsestError `invalid-input` that lists the names there are.
 *
 * @example
 * presetByName('hango').trigger // { fraction: 0.85, of: 'window' }
 */
export function presetByName(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (preset !== undefined) return preset
  throw new PalimpsestError('invalid-input', `There is no policy "${name}".`, {
    hint: `Known are ${Object.keys(PRESETS).join(', ')}; a file that ends in .json may hold one of your own.`,
  })
}

type Check = (value: unknown, pointer: string) => void

const CHECKS: Readonly<Record<string, Check>> = {
  extends: (value, pointer) => (typeof value === 'string' ? void presetByName(value) : fail(pointer, 'must be a name')),
  name: text,
  trigger: checkTrigger,
  triggerWithoutWindow: positive,
  target: share,
  keep: checkKeep,
  keepWithoutWindow: checkKeep,
  rungs: checkRungs,
  ownFormula: flag,
  overflowRetries: oneOf(1, 2),
  summaryFallback: oneOf('extractive', 'none'),
}

function checkTrigger(value: unknown, pointer: string): void {
  const trigger = record(value, pointer)
  if ('tokens' in trigger) {
    expectKeys(trigger, ['tokens'], pointer)
    positive(trigger.tokens, `${pointer}/tokens`)
  } else {
    expectKeys(trigger, ['fraction', 'of'], pointer)
    share(trigger.fraction, `${pointer}/fraction`)
    oneOf('window', 'effective')(trigger.of, `${pointer}/of`)
  }
}

/** Checks a keep window as JSON. */
export function checkKeep(value: unknown, pointer: string): void {
  const keep = record(value, pointer)
  const counted = ['messages', 'steps', 'tokens'].find((kind) => kind in keep)
  if (counted !== undefined) {
    expectKeys(keep, [counted], pointer)
    natural(keep[counted], `${pointer}/${counted}`)
  } else if ('fraction' in keep) {
    expectKeys(keep, ['fraction', 'of'], pointer)
    share(keep.fraction, `${pointer}/fraction`)
    oneOf('messages', 'tokens', 'window')(keep.of, `${pointer}/of`)
  } else fail(pointer, 'must be {messages}, {steps}, {tokens} or {fraction, of}')
}

function expectKeys(value: Record<string, unknown>, known: readonly string[], pointer: string): void {
  const other = Object.keys(value).find((key) => !known.includes(key))
  if (other !== undefined) fail(`${pointer}/${other}`, `does not go with ${known.join(' and ')}`)
}

/** The options of each strategy and what they must be, so that a misspelt or senseless one is told. */
const RUNG_OPTIONS: Readonly<Record<RungSpec['strategy'], Readonly<Record<string, Check>>>> = {
  offloadArtifacts: { thresholdBytes: natural, floor: flag, except: names, only: names },
  truncateToolPayloads: {
    maxArgTokens: natural,
    maxResultTokens: natural,
    keepRecent: natural,
    head: natural,
    tail: natural,
    media: flag,
    except: names,
    only: names,
  },
  summarizeOlder: {
    summarizer: checkSummarizer,
    chunkTurns: positive,
    budget: (value, pointer) => positive(record(value, pointer).tokens, `${pointer}/tokens`),
    keep: checkKeep,
    form: oneOf('checkpoint', 'keen'),
    keptStartsWith: oneOf('assistant'),
    focus: text,
  },
  slidingWindow: { keepLast: natural, pinSystem: flag },
  dropOldestTurns: {},
  squeezeFloor: { userMessageShare: share },
}

function checkRungs(value: unknown, pointer: string): void {
  if (!Array.isArray(value) || value.length === 0) fail(pointer, 'must be a list of at least one rung')
  for (const [at, entry] of (value as readonly unknown[]).entries()) checkRung(entry, `${pointer}/${at}`)
}

function checkRung(entry: unknown, pointer: string): void {
  const { strategy, ...given } = record(entry, pointer)
  const name = String(strategy)
  const options = Object.hasOwn(RUNG_OPTIONS, name) ? RUNG_OPTIONS[name as RungSpec['strategy']] : undefined
  if (options === undefined) fail(`${pointer}/strategy`, `must be one of ${Object.keys(RUNG_OPTIONS).join(', ')}`)
  for (const [key, option] of Object.entries(given)) {
    const check = Object.hasOwn(options, key) ? options[key] : undefined
    if (check === undefined) fail(`${pointer}/${key}`, `is no option of ${name}`)
    check(option, `${pointer}/${key}`)
  }
  if (name === 'slidingWindow') natural(given.keepLast, `${pointer}/keepLast`)
}

function checkSummarizer(value: unknown, pointer: string): void {
  const summarizer = record(value, pointer)
  expectKeys(summarizer, ['provider', 'model'], pointer)
  text(summarizer.provider, `${pointer}/provider`)
  text(summarizer.model, `${pointer}/model`)
}

function oneOf(...words: readonly (string | number)[]): Check {
  return (value, pointer) => {
    if (!words.some((word) => word === value)) fail(pointer, `must be ${words.join(' or ')}`)
  }
}

function flag(value: unknown, pointer: string): void {
  if (typeof value !== 'boolean') fail(pointer, 'must be true or false')
}

function text(value: unknown, pointer: string): void {
  if (typeof value !== 'string') fail(pointer, 'must be a string')
}

function record(value: unknown, pointer: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) fail(pointer, 'must be an object')
  return value as Record<string, unknown>
}

function natural(value: unknown, pointer: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) fail(pointer, 'must be a whole number from 0')
}

function names(value: unknown, pointer: string): void {
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string')
  if (!isList) fail(pointer, 'must be a list of tool names')
}

function positive(value: unknown, pointer: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) fail(pointer, 'must be a whole number from 1')
}

function share(value: unknown, pointer: string): void {
  if (typeof value !== 'number' || !(value > 0 && value <= 1)) fail(pointer, 'must be a number above 0, at most 1')
}

function fail(pointer: string, what: string): never {
  throw new PalimpsestError('invalid-input', `Not a policy: ${pointer === '' ? 'the value' : pointer} ${what}.`, {
    hint: 'A policy is JSON such as {"extends":"palimpsest","trigger":{"fraction":0.8,"of":"window"}}.',
  })
}
