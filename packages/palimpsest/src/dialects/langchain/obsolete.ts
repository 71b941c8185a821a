import { listOf, stringOf } from '../json-fields.ts'
import { obsoleteBefore } from '../obsolete-before.ts'
import type { LangChainMessage } from './items.ts'
import { speakerOf } from './slots.ts'
import { isCompaction, viewMessage } from './view.ts'

/** @see Lens.obsoleteBefore: what stands before the message with the newest compaction of a provider. */
export function obsoleteMessagesBefore(messages: readonly LangChainMessage[]): number {
  return obsoleteBefore(messages, {
    isCompaction: holdsCompaction,
    asks: (message) => callIds(message, 'tool-call'),
    answers: (message) => callIds(message, 'tool-result'),
    mayBegin: (all, index) => {
      const message = all[index] as LangChainMessage
      return speakerOf(message) === 'user' || holdsCompaction(message)
    },
  })
}

function holdsCompaction(message: LangChainMessage): boolean {
  return speakerOf(message) === 'assistant' && listOf(message.content).some(isCompaction)
}

function callIds(message: LangChainMessage, kind: 'tool-call' | 'tool-result'): readonly string[] {
  return viewMessage(message).parts.flatMap((part) => (part.kind === kind ? (stringOf(part.callId) ?? []) : []))
}
