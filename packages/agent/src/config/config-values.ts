import { PalimpsestError } from 'palimpsest'
import type { ZodError } from 'zod'
import type { AgentConfig, ConfigSource } from './agent-config.ts'
import { CONFIG_KEY_NAMES, CONFIG_KEYS, type ConfigKey, isRecord, type ValuePlace } from './config-keys.ts'
import { nearestNames } from './nearest-names.ts'
import { withoutSecrets } from './without-secrets.ts'

/** A place that says something of the configuration, as it was found there. */
export interface ConfigPlace extends ValuePlace {
  readonly values: unknown
  source(key: keyof AgentConfig): ConfigSource
  /** Where a value stands, as messages name it. */
  label(key: string): string
  /** The place as a whole. */
  readonly name: string
}

/** The values of one place that are right, and what is wrong with the others. */
export interface PlaceValues {
  readonly place: ConfigPlace
  readonly values: AgentConfig
  readonly faults: readonly string[]
}

/** Checks all that a place says. Never throws for what it says. */
export function readPlace(place: ConfigPlace): PlaceValues {
  const { values } = place
  if (!isRecord(values)) {
    return { place, values: {}, faults: [`${place.name} holds ${shown(values)}; it wants an object.`] }
  }
  // editors find the rules of a JSON file by it
  const keys = Object.keys(values).filter((key) => key !== '$schema')
  const read = keys.map(
    (key) => [key, isKey(key) ? readValue(key, values, place) : { fault: unknownKey(key) }] as const,
  )
  return {
    place,
    values: Object.fromEntries(read.flatMap(([key, one]) => (one.value === undefined ? [] : [[key, one.value]]))),
    faults: read.flatMap(([key, { fault }]) => (fault === undefined ? [] : [`${place.label(key)}${fault}`])),
  }
}

/**
 * A value on one line for people, shortened, without secrets.
 *
 * @example shown(['write']) // '["write"]'
 */
export function shown(value: unknown): string {
  const text = withoutSecrets(textOf(value))
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1).toWellFormed()}…`
}

const MOST_SHOWN = 80

function isKey(key: string): key is keyof AgentConfig {
  return Object.hasOwn(CONFIG_KEYS, key)
}

/** The value that counts, or what is said behind the key of one that cannot; neither where it is undefined. */
interface ReadValue {
  readonly value?: unknown
  readonly fault?: string
}

function readValue(key: keyof AgentConfig, values: Readonly<Record<string, unknown>>, place: ValuePlace): ReadValue {
  const { schema, settle, wants } = CONFIG_KEYS[key] as ConfigKey<unknown>
  try {
    const value = values[key]
    if (value === undefined) return {}
    const checked = schema.safeParse(value)
    if (!checked.success) return { fault: `${found(value, checked.error)}; it wants ${wants}.` }
    return { value: settle === undefined ? checked.data : settle(checked.data, place) }
  } catch (error) {
    if (!(error instanceof PalimpsestError)) {
      // a getter that throws, a value that holds itself
      return { fault: ` cannot be read: ${withoutSecrets(String(error))}.` }
    }
    const hint = error.hint === undefined ? '' : ` ${error.hint}`
    return { fault: ` cannot be used: ${withoutSecrets(error.message)}${hint}` }
  }
}

/** The value, or the part of it that is wrong, with the way to it. */
function found(value: unknown, error: ZodError): string {
  const path = error.issues[0]?.path ?? []
  const part = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], value)
  return `${path.map((step) => `.${String(step)}`).join('')} is ${shown(part)}`
}

function unknownKey(key: string): string {
  const [near] = nearestNames(key, CONFIG_KEY_NAMES)
  return near === undefined
    ? ` is not known; known are ${CONFIG_KEY_NAMES.join(', ')}.`
    : ` is not known; is ${near} meant?`
}

/** As JSON where it has any. */
function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value) ?? (typeof value === 'function' ? 'a function' : `a ${typeof value}`)
  } catch {
    return `a ${typeof value}`
  }
}
