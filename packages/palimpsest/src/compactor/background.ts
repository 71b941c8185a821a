import type { Compacted } from '../engine/ladder/compaction-task.ts'
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
  const task = { ...compactionTask(settings, sized, { reason: 'threshold' }), transcript: copy }
  const effects = new CompactionEffects(copy, {
    ...settings,
    artifacts: settings.stores.artifacts,
    mode: 'automatic',
    slices: new GrowingSlices(),
    current: task.current,
  })
  const outcome = driveCompaction(task, (effect) => effects.answer(effect), settings.signal).then(
    (found): Compacted<Item> | undefined => (found.status === 'compacted' ? found : undefined),
    () => undefined,
  )
  return { cancel: () => controller.abort(), outcome }
}
