import type { PalimpsestError } from 'palimpsest'

/** An error, for machines. */
export interface ErrorJson {
  readonly code: string
  readonly message: string
  /** What would work. */
  readonly hint?: string
}

export function errorJson({ code, message, hint }: PalimpsestError): ErrorJson {
  return { code, message, ...(hint !== undefined && { hint }) }
}
