import type { MessageGroup } from '../messages/groups.ts'
import { type Ledger, UNITS_PER_TOKEN } from '../tokens/ledger.ts'

/** Share of the limit that system messages of an evicted range may take behind the summary. */
const SYSTEM_SHARE = 0.1

/** What becomes of system messages inside the conversation when what stands around them leaves. */
export interface SystemMessages {
  /** Those that leave too. */
  readonly leaving: ReadonlySet<MessageGroup>
  /** Texts of those that leave without being repeated later: they go into the summary, verbatim. */
  readonly texts: readonly string[]
}

/**
 * System messages carry authority, so they outlive their surroundings: of equal ones only the last, and newest first as
 * many as fit into a tenth of the limit. The rest leave, with their words in the summary.
 */
export function systemMessages(groups: readonly MessageGroup[], ledger: Ledger, limit: number): SystemMessages {
  const leaving = new Set<MessageGroup>()
  const texts: string[] = []
  const seen = new Set<string>()
  let room = limit * UNITS_PER_TOKEN * SYSTEM_SHARE
  for (const group of groups.toReversed()) {
    if (group.kind !== 'system' || group.pinned) continue
    const text = systemText(group, ledger)
    room -= seen.has(text) ? 0 : ledger.meter.text(text)
    if (seen.has(text) || room < 0) leaving.add(group)
    if (!seen.has(text) && room < 0) texts.unshift(text)
    seen.add(text)
  }
  return { leaving, texts }
}

/** The words of a system message. */
export function systemText(group: MessageGroup, ledger: Ledger): string {
  const parts = group.slices.flatMap(({ position }) => ledger.message(position).view.parts)
  return parts.map((part) => part.text()).join('\n')
}
