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
    if (!(key in CHECKS)) fail(`/${key}`, `is not known; known are ${Object.keys(CHECKS).join(', ')}`)
  }
  for (const [key, check] of Object.entries(CHECKS)) {
    if (fields[key] !== undefined) check(fields[key], `/${key}`)
  }
  const base = typeof fields.extends === 'string' ? presetByName(fields.extends) : DEFAULT_PRESET
  const { extends: _extends, ...own } = fields
  return { ...base, name: 'custom', ...own }
}

/** The preset of this name. @throws PalimpsestError `invalid-input` that lists the names there are. */
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
  name: (value, pointer) => typeof value === 'string' || fail(pointer, 'must be a string'),
  trigger: checkTrigger,
  triggerWithoutWindow: positive,
  target: share,
  keep: checkKeep,
  keepWithoutWindow: checkKeep,
  rungs: checkRungs,
  ownFormula: (value, pointer) => typeof value === 'boolean' || fail(pointer, 'must be true or false'),
}

function checkTrigger(value: unknown, pointer: string): void {
  const trigger = record(value, pointer)
  if ('tokens' in trigger) positive(trigger.tokens, `${pointer}/tokens`)
  else {
    share(trigger.fraction, `${pointer}/fraction`)
    if (trigger.of !== 'window' && trigger.of !== 'effective') fail(`${pointer}/of`, 'must be window or effective')
  }
}

/** Checks a keep window as JSON. */
export function checkKeep(value: unknown, pointer: string): void {
  const keep = record(value, pointer)
  const [kind] = Object.keys(keep)
  if (kind === 'messages' || kind === 'steps' || kind === 'tokens') natural(keep[kind], `${pointer}/${kind}`)
  else if (kind === 'fraction' || kind === 'of') {
    share(keep.fraction, `${pointer}/fraction`)
    const bases = ['messages', 'tokens', 'window']
    if (!bases.some((base) => base === keep.of)) fail(`${pointer}/of`, `must be ${bases.join(', ')}`)
  } else fail(pointer, 'must be {messages}, {steps}, {tokens} or {fraction, of}')
}

/** The options of each strategy, so that a misspelt one is told. */
const RUNG_OPTIONS: Readonly<Record<RungSpec['strategy'], readonly string[]>> = {
  offloadArtifacts: ['thresholdBytes', 'except', 'only'],
  truncateToolPayloads: ['maxArgTokens', 'maxResultTokens', 'keepRecent', 'head', 'tail', 'media', 'except', 'only'],
  summarizeOlder: ['summarizer', 'chunkTurns', 'budget', 'keep', 'form', 'keptStartsWith', 'focus'],
  slidingWindow: ['keepLast', 'pinSystem'],
  dropOldestTurns: [],
  squeezeFloor: ['userMessageShare'],
}

function checkRungs(value: unknown, pointer: string): void {
  if (!Array.isArray(value) || value.length === 0) fail(pointer, 'must be a list of at least one rung')
  for (const [at, entry] of (value as readonly unknown[]).entries()) {
    const rung = record(entry, `${pointer}/${at}`)
    const name = String(rung.strategy)
    const options = Object.hasOwn(RUNG_OPTIONS, name) ? RUNG_OPTIONS[name as RungSpec['strategy']] : undefined
    if (options === undefined)
      fail(`${pointer}/${at}/strategy`, `must be one of ${Object.keys(RUNG_OPTIONS).join(', ')}`)
    for (const [key, option] of Object.entries(rung)) {
      if (key !== 'strategy' && !options.includes(key)) fail(`${pointer}/${at}/${key}`, `is no option of ${name}`)
      checkOption(key, option, `${pointer}/${at}/${key}`)
    }
    if (name === 'slidingWindow') natural(rung.keepLast, `${pointer}/${at}/keepLast`)
  }
}

function checkOption(key: string, value: unknown, pointer: string): void {
  if (key === 'keep') checkKeep(value, pointer)
  else if (key === 'budget') positive(record(value, pointer).tokens, `${pointer}/tokens`)
  else if (key === 'userMessageShare') share(value, pointer)
  else if (key === 'except' || key === 'only') names(value, pointer)
  else if (key === 'form' && value !== 'checkpoint' && value !== 'keen') fail(pointer, 'must be checkpoint or keen')
  else if (NATURAL_OPTIONS.includes(key)) natural(value, pointer)
}

const NATURAL_OPTIONS: readonly string[] = [
  'thresholdBytes',
  'maxArgTokens',
  'maxResultTokens',
  'keepRecent',
  'head',
  'tail',
  'chunkTurns',
  'keepLast',
]

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
