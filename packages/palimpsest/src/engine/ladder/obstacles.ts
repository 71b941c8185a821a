import { PalimpsestError } from '../errors.ts'
import type { MessageGroup } from '../messages/groups.ts'
import type { Plan } from '../plan/plan.ts'
import { projectUnits } from '../plan/projected-units.ts'
import { isFixed } from '../strategies/evict.ts'
import { floorBoundary } from '../strategies/keep-window.ts'
import { lastUserGroup } from '../strategies/last-user-message.ts'
import { tokensOf } from '../tokens/ledger.ts'
import type { CompactionTask } from './compaction-task.ts'

/** The refusal that says what takes the room, largest first: `no-progress` where the request fits as it is. */
export function obstacles<Item extends object>(task: CompactionTask<Item>, plan: Plan, size: number): PalimpsestError {
  const { overhead, limit } = task
  if (size <= limit) {
    return new PalimpsestError('no-progress', `Nothing of the ${k(size)} tokens could be left out; ${k(limit)} fit.`, {
      hint: 'The request can go out as it is. Compact again when the conversation has grown.',
    })
  }
  if (overhead >= limit) {
    return new PalimpsestError('cannot-fit', `System and tools alone are ${k(overhead)} of ${k(limit)} tokens.`, {
      hint: 'Use a model with a larger window, a smaller output reserve, or fewer and shorter tools and system texts.',
    })
  }
  const never = [{ name: 'system and tools', tokens: overhead }, ...itemObstacles(task, plan)]
  const rest = size - never.reduce((sum, part) => sum + part.tokens, 0)
  const parts = [...never, { name: 'messages that no rung of the policy may drop', tokens: rest }]
    .filter((part) => part.tokens > size * LEAST_SHARE)
    .sort((a, b) => b.tokens - a.tokens)
  const list = parts.map((part) => `${part.name} ${k(part.tokens)}`).join(', ')
  return new PalimpsestError('cannot-fit', `The request is still ${k(size)} of ${k(limit)} tokens: ${list}.`, {
    hint: 'Shorten the largest part, or use a larger window, a smaller output reserve, or a policy with more rungs.',
  })
}

/** What takes less of the request than this is not in the way. */
const LEAST_SHARE = 0.005

function itemObstacles<Item extends object>({ transcript, scale = 1 }: CompactionTask<Item>, plan: Plan) {
  const { groups, ledger } = transcript
  const projected = projectUnits(plan, ledger)
  const tokens = (some: readonly MessageGroup[]) =>
    Math.ceil(
      tokensOf(some.flatMap((group) => group.slices).reduce((sum, slice) => sum + projected.at(slice.position), 0)) *
        scale,
    )
  const user = lastUserGroup(groups)?.group
  const summaries = (plan.summaries ?? []).reduce((sum, one) => sum + ledger.meter.text(one.content), 0)
  const open = groups.slice(floorBoundary(groups)).filter((group) => group.kind === 'tool-batch')
  return [
    { name: 'last user message', tokens: user === undefined ? 0 : tokens([user]) },
    { name: 'open tool batch', tokens: tokens(open) },
    { name: 'pinned items and system messages', tokens: tokens(groups.filter(isFixed)) },
    { name: 'summary', tokens: Math.ceil(tokensOf(summaries) * scale) },
  ]
}

function k(tokens: number): string {
  return tokens < 10_000 ? String(Math.ceil(tokens)) : `${Math.round(tokens / 1000)}k`
}
