import { canonicalJson } from '../../engine/json/canonical-json.ts'
import { isObject } from '../json-fields.ts'
import { type BedrockMessage, blocksOf, isCachePoint, partsOf } from './items.ts'
import { wireForm } from './wire-form.ts'

/**
 * Stable text of a message: equal for messages that differ only in cache points, in the order of keys, or in whether
 * binary data stands as base64 text or as bytes.
 */
export function fingerprintMessage(message: BedrockMessage): string {
  if (!isObject(message)) return canonicalJson(message)
  const plain = blocksOf(message).some(isCachePoint) ? { ...message, content: partsOf(message) } : message
  return canonicalJson(wireForm(plain))
}
