import { wellFormed } from '../json/well-formed.ts'
import type { MessageGroup } from '../messages/groups.ts'
import type { Transcript } from '../messages/transcript.ts'
import type { Plan } from '../plan/plan.ts'
import { indexPlan, type PlanIndex } from '../plan/plan-index.ts'
import { hasPosition } from '../plan/position-set.ts'
import { lastUserGroup, ownWords } from '../strategies/last-user-message.ts'
import { LEAST_SYSTEM_TEXT, systemText } from '../strategies/system-messages.ts'
import { unwrapCheckpoint } from '../summary/checkpoint-text.ts'

/**
 * What must hold of every view, beyond the protocol: the last user message is there, pinned parts are
 * untouched, the view is not empty. The broken one in words, or undefined.
 */
export function brokenPostcondition<Item extends object>(
  transcript: Transcript<Item>,
  plan: Plan,
  items: readonly Item[],
): string | undefined {
  if (items.length === 0) return 'Nothing would be left to send.'
  const index = indexPlan(plan)
  const obsolete = transcript.lens.obsoleteBefore?.(transcript.items) ?? 0
  // what stands before a provider's own compaction item may go, also where one group holds both
  const inForce = ({ slices }: MessageGroup) => ({ slices: slices.filter((slice) => slice.position >= obsolete) })
  const pinned = transcript.groups.find((group) => group.pinned && !isUntouched(inForce(group), index))
  if (pinned !== undefined) {
    return `The pinned item at position ${pinned.slices[0]?.position} would be edited or dropped.`
  }
  const silenced = lostInstruction(transcript, index, plan)
  if (silenced !== undefined) return `The system message at position ${silenced} would be lost.`
  return showsLastUserMessage(transcript, plan, index) ? undefined : 'The last user message would be gone.'
}

/** A cut may fall this much earlier, so that no character is split. */
const LONGEST_CLUSTER = 40

/** A system message that leaves must be said again later, or stand in a summary, at least with its beginning. */
function lostInstruction<Item extends object>(
  { groups, ledger }: Transcript<Item>,
  index: PlanIndex,
  plan: Plan,
): number | undefined {
  const system = groups.filter((group) => group.kind === 'system')
  const kept = new Set(system.filter((group) => isUntouched(group, index)).map((group) => systemText(group, ledger)))
  const summaries = (plan.summaries ?? []).map((one) => unwrapCheckpoint(one.content)?.summary ?? '')
  const lost = system.find((group) => {
    const text = systemText(group, ledger)
    const beginning = wellFormed(text).slice(0, LEAST_SYSTEM_TEXT - LONGEST_CLUSTER)
    return !kept.has(text) && !summaries.some((summary) => summary.includes(beginning))
  })
  return lost?.slices[0]?.position
}

function isUntouched(group: { readonly slices: readonly { readonly position: number }[] }, index: PlanIndex): boolean {
  return group.slices.every(({ position }) => !hasPosition(index.drop, position) && !index.items.has(position))
}

/** Does the view of this plan hold the transcript's last user message, as an item or beside a summary? */
export function showsLastUserMessage<Item extends object>(
  transcript: Pick<Transcript<Item>, 'groups' | 'ledger'>,
  plan: Plan,
  index = indexPlan(plan),
): boolean {
  const last = lastUserGroup(transcript.groups)?.group
  if (last === undefined) return true
  if (last.slices.every((slice) => isShown(slice, index))) return true
  const words = ownWords(last, transcript.ledger)
  if (words === undefined) return false // more than text: no summary can hold it
  return (plan.summaries ?? []).some((summary) => unwrapCheckpoint(summary.content)?.lastUserMessage === words)
}

/** Stands in the view, whole or cut. */
function isShown(
  slice: { readonly position: number; readonly parts: 'all' | readonly number[] },
  index: PlanIndex,
): boolean {
  if (hasPosition(index.drop, slice.position)) return false
  const edits = index.items.get(slice.position)
  if (edits === undefined) return true
  const removed = [...edits.parts].filter(([, part]) => part.removed).map(([part]) => part)
  return slice.parts === 'all' ? removed.length === 0 : !slice.parts.some((part) => removed.includes(part))
}
