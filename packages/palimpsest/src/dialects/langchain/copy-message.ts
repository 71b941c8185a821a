import { type Fields, isObject } from '../json-fields.ts'

/**
 * A copy of the message with these fields, of the same class: methods, getters, symbols and lazily computed fields come along.
 * What the constructor was given is copied too, since messages are written to JSON by the names that stand there, and since
 * LangChain writes ids into it: the original must not get them.
 */
export function copyMessage<T extends object>(message: T, changes: Fields): T {
  const copy = copyWith(message, changes)
  const given = (message as { lc_kwargs?: unknown }).lc_kwargs
  if (!isObject(given)) return copy
  const known = Object.fromEntries(Object.entries(changes).filter(([key]) => key in given))
  return Object.defineProperty(copy, 'lc_kwargs', field(copyWith(given, known)))
}

function copyWith<T extends object>(origin: T, changes: Fields): T {
  const own = Object.getOwnPropertyDescriptors(origin) as Record<PropertyKey, PropertyDescriptor>
  const copied: Record<PropertyKey, PropertyDescriptor> = {}
  // A frozen original must not make a frozen copy.
  for (const key of Reflect.ownKeys(own)) copied[key] = thawed(own[key] as PropertyDescriptor)
  for (const [key, value] of Object.entries(changes)) copied[key] = field(value)
  return Object.create(Object.getPrototypeOf(origin), copied as PropertyDescriptorMap) as T
}

function thawed(descriptor: PropertyDescriptor): PropertyDescriptor {
  const isValue = 'value' in descriptor
  return { ...descriptor, configurable: true, ...(isValue && { writable: true }) }
}

function field(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true }
}
