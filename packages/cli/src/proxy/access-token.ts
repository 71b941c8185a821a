import { createHash, timingSafeEqual } from 'node:crypto'
import { usageError } from '../error-report.ts'

/** The header that a client sends the token in. */
export const TOKEN_HEADER = 'x-palimpsest-token'

const MIN_CHARACTERS = 16

/** A request's target without the token, and whether it showed the right one. */
export interface Admission {
  /** Path and query, as the provider knows them. */
  readonly target: string
  readonly admitted: boolean
}

/**
 * Who may call. Without a token everybody may, who reaches the port.
 * @throws PalimpsestError `invalid-input` for a token that could be guessed.
 */
export function admissionBy(token: string | undefined): (target: string, headers: Headers) => Admission {
  if (token !== undefined && token.length < MIN_CHARACTERS) {
    throw usageError(
      `The token has ${token.length} characters.`,
      `It wants at least ${MIN_CHARACTERS}, by chance: openssl rand -hex 24`,
    )
  }
  return (target, headers) => {
    const [, inPath, rest = ''] = /^\/t\/([^/?]*)(.*)$/s.exec(target) ?? []
    const shown = [inPath === undefined ? undefined : decoded(inPath), headers.get(TOKEN_HEADER) ?? undefined]
    return {
      target: inPath === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`,
      admitted: token === undefined || shown.some((one) => one !== undefined && isSame(one, token)),
    }
  }
}

/** In constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Is this an address that only this machine reaches? */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
