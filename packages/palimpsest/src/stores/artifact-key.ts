import { wellFormed } from '../engine/json/well-formed.ts'
import { sha256 } from '../engine/record/sha256.ts'

/** Hexadecimal digits of a key: 128 bits. Models copy keys, so each digit costs tokens. */
const KEY_LENGTH = 32

/**
 * What is stored of a content: lone halves of surrogate pairs become U+FFFD, because no UTF-8 can hold them.
 *
 * @example
 * storedContent('half a pair: \ud83d') // 'half a pair: \ufffd'
 */
export const storedContent = wellFormed

/**
 * The key of a content in a namespace, 32 hexadecimal digits: equal contents of one namespace share it, and who does not
 * know both cannot guess it.
 *
 * @example
 * artifactKey('default', 'the whole output').length // 32
 */
export function artifactKey(namespace: string, content: string): string {
  return sha256(namespaceDigest(namespace) + content).slice(0, KEY_LENGTH)
}

/** Tells namespaces apart that differ in anything, a lone surrogate included. 64 hexadecimal digits. */
export function namespaceDigest(namespace: string): string {
  return sha256(JSON.stringify(namespace))
}

/**
 * Could this be a key? Nothing else is ever looked up.
 *
 * @example
 * isArtifactKey(artifactKey('default', 'the whole output')) // true
 */
export function isArtifactKey(key: string): boolean {
  return key.length === KEY_LENGTH && /^[0-9a-f]+$/.test(key)
}
