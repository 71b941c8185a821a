import type { Call, FormatName, LabUsage } from './format.ts'

/** A call of the agent's run, or one that asks for a summary of it. */
export type CallPurpose = 'main' | 'summary'

/** What a script gets to see of a call. */
export interface LabCall extends Call {
  readonly format: FormatName
  readonly purpose: CallPurpose
  /** The parsed body, as the client sent it. */
  readonly body: unknown
  /** Tokens of the prompt, by the simulator's counter. */
  readonly tokens: number
  /** How many calls of this purpose were answered before. Retries of a refused call see the same number. */
  readonly answered: number
}

/** One call that the simulator saw, and what came of it. */
export interface CallRecord {
  readonly format: FormatName | undefined
  readonly kind: Call['kind'] | 'unknown'
  readonly purpose: CallPurpose
  readonly stream: boolean
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; undefined where it is no JSON. */
  readonly body: unknown
  readonly bodyText: string
  /** Prompt tokens; 0 for calls that were refused before they were counted. */
  readonly tokens: number
  readonly outcome: 'answered' | 'refused' | 'faulted'
  readonly status: number
  /** Which rule or fault it was, where the call was not answered. */
  readonly reason?: string
  /** The refusal in words, where a rule was broken. */
  readonly message?: string
  readonly usage?: LabUsage
  /** Resolves when the whole answer went out, or the client went away before. */
  readonly end: Promise<'sent' | 'client-gone'>
}
