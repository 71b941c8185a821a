import { compaction } from '../engine/ladder/compaction.ts'
import type { CompactionOutcome, CompactionTask, Effect, EffectResult } from '../engine/ladder/compaction-task.ts'
import { abortable } from './abortable.ts'

/** Runs the ladder with effects that take time. Rejects only with the signal's reason. */
export async function driveCompaction<Item extends object>(
  task: CompactionTask<Item>,
  answer: (effect: Effect) => Promise<EffectResult>,
  signal: AbortSignal,
): Promise<CompactionOutcome<Item>> {
  const run = compaction(task)
  let step = run.next()
  while (!step.done) {
    signal.throwIfAborted()
    step = run.next(await abortable(answer(step.value), signal))
  }
  signal.throwIfAborted()
  return step.value
}
