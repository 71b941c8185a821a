import { isObject } from '../json-fields.ts'

/** A property of an object; undefined when it is absent, null, or `value` is no object. */
export function property(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined
}

/** `value` if it is a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The settings that an object's `providerOptions` hold, one entry per provider. */
export function optionsByProvider(value: unknown): readonly unknown[] {
  const options = property(value, 'providerOptions')
  return isObject(options) ? Object.values(options) : []
}
