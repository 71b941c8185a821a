import type { AiSdkCallOptions } from '../../dialects/ai-sdk/items.ts'
import { property } from '../../dialects/json-fields.ts'
import { PalimpsestError } from '../../engine/errors.ts'
import { derive } from '../../engine/json/derive.ts'

/** What a call says in `providerOptions.palimpsest`. */
export interface OwnOptions {
  /** Names the conversation. */
  readonly session?: string
  /** Whose conversation it is: two namespaces never share anything. */
  readonly namespace?: string
  /** Does the prompt hold the whole history, even where `previousResponseId` or `conversation` point at one? */
  readonly wholeHistory?: boolean
}

const OWN = 'palimpsest'
const KNOWN = { session: 'string', namespace: 'string', wholeHistory: 'boolean' } as const

/**
 * Our own options of a call, and the call without them.
 * @throws PalimpsestError `invalid-input` for an option of another type.
 */
export function takeOwnOptions(options: AiSdkCallOptions): {
  readonly own: OwnOptions
  readonly rest: AiSdkCallOptions
} {
  const own = property(options.providerOptions, OWN)
  if (options.providerOptions === undefined || own === undefined) return { own: {}, rest: options }
  const providerOptions = derive(options.providerOptions, { [OWN]: undefined })
  const isEmpty = Object.keys(providerOptions).length === 0
  return {
    own: readOwnOptions(own),
    rest: derive(options, { providerOptions: isEmpty ? undefined : providerOptions }),
  }
}

function readOwnOptions(own: unknown): OwnOptions {
  const named = Object.entries(KNOWN).map(([name, type]) => {
    const value = property(own, name)
    if (value === undefined || typeof value === type) return [name, value] as const
    throw new PalimpsestError('invalid-input', `providerOptions.palimpsest.${name} must be a ${type}.`, {
      hint: 'Leave it out, and the conversation is found by its content.',
    })
  })
  return Object.fromEntries(named.filter(([, value]) => value !== undefined))
}
