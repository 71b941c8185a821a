import type { Lens, MessageView, PartEdit, PartView } from '../messages/message.ts'
import { readOutcome } from './tool-outcome.ts'

/** What stands for a result whose output is not kept; nothing else of it is said. */
const KEPT = /^\[output not kept: (?:ok|failed)(?:, exit code -?\d{1,5})?\]$/

/**
 * The item as a session keeps it that keeps no output of tools: each result says only whether its call failed, and with which
 * exit code; the call itself, with tool and input, stays. The same object where nothing changes, so it may be asked again.
 * Results that no edit can reach (encrypted ones) stay as they are.
 *
 * @example
 * compactResults(anthropicMessages, transcript.item(1))
 */
export function compactResults<Item>(lens: Lens<Item>, item: Item): Item {
  const bare = lens.withoutProgramOutput?.(item) ?? item
  const edits = resultEdits(lens.view(bare))
  return edits.length === 0 ? bare : (lens.edit(bare, edits) ?? bare)
}

function resultEdits({ parts }: MessageView): readonly PartEdit[] {
  return parts.flatMap((part, number) =>
    part.kind === 'tool-result' && part.editable && !isCompact(part)
      ? [{ kind: 'replace-result' as const, part: number, text: outcomeText(part) }]
      : [],
  )
}

function isCompact(part: PartView): boolean {
  return (part.media ?? []).length === 0 && KEPT.test(part.text())
}

function outcomeText(part: PartView): string {
  const { failed, exitCode } = readOutcome(part.text(), part.isError, 'other')
  return `[output not kept: ${failed ? 'failed' : 'ok'}${exitCode === undefined ? '' : `, exit code ${exitCode}`}]`
}
