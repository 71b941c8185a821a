import type { AgentConfig } from '@palimpsest/agent'

/** The agent's flags, as the command line gives them. */
export interface AgentFlags {
  readonly model?: string
  readonly summarizer?: string
  readonly effort?: NonNullable<AgentConfig['effort']>
  readonly policy?: string
  readonly window?: number
  readonly triggerFrac?: number
  readonly keepFrac?: number
  readonly allow?: readonly string[]
  readonly store?: string
  readonly namespace?: string
  /** A session of this id, new or stored. */
  readonly session?: string
  /** A stored session: its id, or `true` for the newest of the working folder. */
  readonly resume?: string | true
  readonly maxSteps?: number
  /** The file to read; false: none. */
  readonly config?: string | false
  readonly cwd?: string
  readonly color?: boolean
  readonly toolResults?: NonNullable<AgentConfig['toolResults']>
  readonly redact?: boolean
}

/** What of the flags is configuration. */
export function flaggedConfig(flags: AgentFlags): AgentConfig {
  const { model, summarizer, effort, policy, window, triggerFrac, keepFrac } = flags
  const { allow, store, maxSteps, toolResults, redact } = flags
  return {
    ...(model !== undefined && { model }),
    ...(summarizer !== undefined && { summarizerModel: summarizer }),
    ...(effort !== undefined && { effort }),
    ...(policy !== undefined && { policy }),
    ...(window !== undefined && { window }),
    ...(triggerFrac !== undefined && { contextTriggerFrac: triggerFrac }),
    ...(keepFrac !== undefined && { contextKeepFrac: keepFrac }),
    ...(allow !== undefined && { allow }),
    ...(store !== undefined && { store }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(toolResults !== undefined && { toolResults }),
    ...(redact !== undefined && { redact }),
  }
}
