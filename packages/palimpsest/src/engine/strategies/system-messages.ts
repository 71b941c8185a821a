import { cutText } from '../json/well-formed.ts'
import type { MessageGroup } from '../messages/groups.ts'
import { type Ledger, UNITS_PER_TOKEN } from '../tokens/ledger.ts'

/** Share of the limit that system messages of an evicted range may take behind the summary, and again inside of it. */
const SYSTEM_SHARE = 0.1
/** Characters that are kept of one for which there is no room inside the summary either. */
export const LEAST_SYSTEM_TEXT = 200

/** What becomes of system messages inside the conversation when what stands around them leaves. */
export interface SystemMessages {
  /** Those that leave too. */
  readonly leaving: ReadonlySet<MessageGroup>
  /** Texts of those that leave without being repeated later: they go into the summary, verbatim. */
  readonly texts: readonly string[]
}

/**
 * System messages carry authority, so they outlive their surroundings: of equal ones only the last, and newest first as
 * many as fit into a tenth of the limit. The rest leave, with their words in the summary; where even that would take
 * more than another tenth, with the beginning of them.
 */
export function systemMessages(groups: readonly MessageGroup[], ledger: Ledger, limit: number): SystemMessages {
  const leaving = new Set<MessageGroup>()
  const texts: string[] = []
  const seen = new Set<string>()
  let room = limit * UNITS_PER_TOKEN * SYSTEM_SHARE
  let inSummary = room
  for (const group of groups.toReversed()) {
    if (group.kind !== 'system' || group.pinned) continue
    const text = systemText(group, ledger)
    room -= seen.has(text) ? 0 : ledger.meter.text(text)
    if (seen.has(text) || room < 0) leaving.add(group)
    if (!seen.has(text) && room < 0) {
      inSummary -= ledger.meter.text(text)
      texts.unshift(inSummary < 0 ? beginning(text) : text)
    }
    seen.add(text)
  }
  return { leaving, texts }
}

function beginning(text: string): string {
  const marker = (characters: number) => `[… ${characters} characters left out …]`
  const limit = LEAST_SYSTEM_TEXT + marker(text.length).length
  return cutText(text, { limit, headShare: 1, marker }).text
}

/** The words of a system message. */
export function systemText(group: MessageGroup, ledger: Ledger): string {
  const parts = group.slices.flatMap(({ position }) => ledger.message(position).view.parts)
  return parts.map((part) => part.text()).join('\n')
}
