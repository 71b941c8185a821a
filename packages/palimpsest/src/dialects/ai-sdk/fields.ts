import { isObject, property } from '../json-fields.ts'

/** The settings that an object's `providerOptions` hold, one entry per provider. */
export function optionsByProvider(value: unknown): readonly unknown[] {
  const options = property(value, 'providerOptions')
  return isObject(options) ? Object.values(options) : []
}
