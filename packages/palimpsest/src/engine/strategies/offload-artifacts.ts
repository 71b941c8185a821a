import type { Draft, DraftOffload } from '../plan/draft.ts'
import type { Plan } from '../plan/plan.ts'
import { hasPosition, positionSet } from '../plan/position-set.ts'
import { keepBoundary } from './keep-window.ts'
import type { Strategy, StrategyInput } from './strategy.ts'
import { sparedParts, type ToolChoice } from './tool-names.ts'
import { untilLimit } from './until-limit.ts'

/** `except` must name the reader of artifacts: its own output is not offloaded again. */
export interface OffloadOptions extends ToolChoice {
  /** UTF-8 bytes of a result's JSON from which on it is offloaded. Default 4,096. */
  readonly thresholdBytes?: number
  /** Results inside the keep window and the open tool batch too, newest last. Default false. */
  readonly floor?: boolean
}

/**
 * Stores large old tool results and shows a pointer with a preview of both ends, oldest first, until the limit is met.
 * Needs a caller who can read artifacts; without one use `truncateToolPayloads`.
 *
 * @example
 * const adapter = strategyAdapter('offload', 8_000, offloadArtifacts({ thresholdBytes: 4_096 }))
 */
export function offloadArtifacts(options: OffloadOptions = {}): Strategy {
  const threshold = options.thresholdBytes ?? DEFAULT_THRESHOLD_BYTES
  return (input) => {
    const chosen = untilLimit(input, candidates(input, threshold, options))
    const offloads = chosen.flatMap((plan) => plan.offloads ?? []).map((one) => askToStore(input, one, threshold))
    return offloads.length === 0 ? undefined : ({ offloads } satisfies Draft)
  }
}

const DEFAULT_THRESHOLD_BYTES = 4096
/** Stands for a key while the saving is projected: as long as a real one. */
const PROJECTED_KEY = '0'.repeat(64)

function candidates(input: StrategyInput, threshold: number, choice: OffloadOptions): readonly Plan[] {
  const { groups, ledger, current, keep } = input
  const gone = positionSet(current.drop ?? [])
  const done = new Set((current.offloads ?? []).map((one) => `${one.message_index}.${one.part ?? '*'}`))
  const end = choice.floor === true ? groups.length : keepBoundary(groups, ledger, keep, current)
  return groups.slice(0, end).flatMap((group) => {
    const isSpared = sparedParts(group, ledger, choice)
    return group.slices.flatMap(({ position, parts }): Plan[] => {
      if (group.pinned || hasPosition(gone, position) || done.has(`${position}.*`)) return []
      const { view } = ledger.message(position)
      const numbers = parts === 'all' ? view.parts.map((_, number) => number) : parts
      return numbers.flatMap((number): Plan[] => {
        const part = view.parts[number]
        if (part?.kind !== 'tool-result' || !part.editable || done.has(`${position}.${number}`)) return []
        if (isSpared(part) || part.bytes() < threshold) return []
        return [{ offloads: [{ message_index: position, part: number, artifact_key: PROJECTED_KEY, threshold }] }]
      })
    })
  })
}

function askToStore(
  { ledger }: StrategyInput,
  offload: { readonly message_index: number; readonly part?: number },
  threshold: number,
): DraftOffload {
  const { message_index, part = 0 } = offload
  const bytes = ledger.message(message_index).view.parts[part]?.bytes() ?? 0
  return { message_index, part, threshold, store_request: { position: message_index, part, bytes } }
}
