import type { MessageGroup } from '../messages/groups.ts'
import type { PartView } from '../messages/message.ts'
import type { Ledger } from '../tokens/ledger.ts'

/** Which tools a strategy cares for. */
export interface ToolChoice {
  /** Tools whose payloads are left alone. */
  readonly except?: readonly string[]
  /** The only tools whose payloads are touched. Default: all. */
  readonly only?: readonly string[]
}

/**
 * Tells of the parts of a group whether their tool is to be left alone. Most formats name the tool on the call alone, so
 * a result takes the name of the call that it answers.
 */
export function sparedParts(
  group: MessageGroup,
  ledger: Ledger,
  { except = [], only }: ToolChoice,
): (part: PartView) => boolean {
  if (except.length === 0 && only === undefined) return () => false
  const names = new Map<string | undefined, string>()
  for (const { position } of group.slices) {
    for (const { kind, callId, toolName } of ledger.message(position).view.parts) {
      if (kind === 'tool-call' && callId !== undefined && toolName !== undefined) names.set(callId, toolName)
    }
  }
  return ({ toolName, callId }) => {
    const name = toolName ?? names.get(callId) ?? ''
    return except.includes(name) || (only !== undefined && !only.includes(name))
  }
}
