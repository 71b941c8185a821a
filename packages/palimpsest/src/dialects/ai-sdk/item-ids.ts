import { derive } from '../../engine/json/derive.ts'
import { isObject, property } from '../json-fields.ts'
import type { AiSdkPart } from './items.ts'

/**
 * The part without the item id that a provider stored it under. A part with an id can go out as a mere reference to what
 * the provider has: an edit would be lost, and thinking that was removed would be missed.
 */
export function withoutItemId(part: AiSdkPart): AiSdkPart {
  return withoutIdIn(withoutIdIn(part, 'providerOptions'), 'providerMetadata')
}

/** Messages that applications stored can carry the options under the name that they had in the response. */
function withoutIdIn(part: AiSdkPart, name: 'providerOptions' | 'providerMetadata'): AiSdkPart {
  const options = property(part, name)
  if (!isObject(options)) return part
  let changed: Readonly<Record<string, unknown>> = options
  for (const [provider, own] of Object.entries(options)) {
    if (property(own, 'itemId') === undefined || !isObject(own)) continue
    const rest = derive<Readonly<Record<string, unknown>>>(own, { itemId: undefined })
    changed = derive(changed, { [provider]: Object.keys(rest).length === 0 ? undefined : rest })
  }
  if (changed === options) return part
  return derive<object>(part, { [name]: Object.keys(changed).length === 0 ? undefined : changed }) as AiSdkPart
}
