import { createHmac } from 'node:crypto'
import { PalimpsestError } from '../engine/errors.ts'

/**
 * The namespace of whoever holds this credential: its HMAC-SHA-256 under a secret of the server, 64 hexadecimal digits.
 * Two tenants never share one, and nobody gets the credential back from it.
 * @throws PalimpsestError `invalid-input` for an empty secret.
 *
 * @example
 * namespaceOf('sk-…', 'a long random text').length // 64
 */
export function namespaceOf(credential: string, secret: string): string {
  if (secret === '') {
    throw new PalimpsestError('invalid-input', 'The secret under which namespaces are derived is empty.', {
      hint: 'Give a long random text, and the same one to every process that shares the stores.',
    })
  }
  return createHmac('sha256', secret).update(credential, 'utf8').digest('hex')
}
