import type { Compacted, CompactionTask } from '../engine/ladder/compaction-task.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import type { PlanInWaiting } from './branch.ts'
import { CompactionEffects } from './compaction-effects.ts'
import { driveCompaction } from './drive-compaction.ts'
import { type CompactionSettings, compactionTask } from './live-compaction.ts'
import type { SizedRequest } from './sized-request.ts'
import { GrowingSlices } from './summary-input.ts'

/**
 * Looks for a plan while the agent works, for the request that will reach the trigger. Nothing is stored but artifacts, and
 * nothing is in force, until that request takes it.
 */
export function prepareAhead<Item extends object>(
  settings: CompactionSettings<Item>,
  sized: SizedRequest<Item>,
  controller: AbortController,
): PlanInWaiting {
  const { dialect } = settings
  const { conversation, transcript } = sized
  // the branch's own transcript grows while this runs
  const copy = new Transcript<Item>(dialect, transcript.ledger.meter, conversation.items)
  const task = { ...aimedLower(compactionTask(settings, sized, { reason: 'threshold' }), sized), transcript: copy }
  const { keptForm } = settings
  const kept =
    keptForm === undefined ? copy : new Transcript<Item>(dialect, copy.ledger.meter, copy.items.map(keptForm))
  const effects = new CompactionEffects(kept, {
    ...settings,
    artifacts: settings.stores.artifacts,
    mode: 'automatic',
    slices: new GrowingSlices(),
    current: task.current,
    scale: sized.scale,
    refused: undefined,
  })
  const outcome = driveCompaction(task, (effect) => effects.answer(effect), settings.signal).then(
    (found): Compacted<Item> | undefined => (found.status === 'compacted' ? found : undefined),
    () => undefined,
  )
  return { cancel: () => controller.abort(), outcome }
}

/** A step may go so far beyond the trigger, as a share of it. */
const OVERSHOOT = 0.05

/** What comes until the trigger is reached stands behind the plan: that much less must be left by it, or nobody could take it. */
function aimedLower<Item extends object>(
  task: CompactionTask<Item>,
  { limits: { trigger }, size }: SizedRequest<Item>,
): CompactionTask<Item> {
  const growth = Math.max(0, trigger - size.tokens) + trigger * OVERSHOOT
  return { ...task, target: Math.max(task.target / 2, task.target - growth) }
}
