import { property } from '../json-fields.ts'
import { obsoleteBefore } from '../obsolete-before.ts'
import type { AiSdkMessage, AiSdkPart } from './items.ts'
import { isProviderCompaction, partsOf, typeOf } from './part-data.ts'

/** @see Lens.obsoleteBefore: what stands before the message with the newest compaction of a provider. */
export function obsoleteMessagesBefore(messages: readonly AiSdkMessage[]): number {
  return obsoleteBefore(messages, {
    isCompaction: (message) => partsOf(message).some(isProviderCompaction),
    asks: (message) => partsOf(message).flatMap((part) => idIn(part, ASKING)),
    answers: (message) => partsOf(message).flatMap((part) => idIn(part, ANSWERING)),
    mayBegin: (all, index) => {
      const message = all[index]
      const [first] = partsOf(message)
      return property(message, 'role') === 'user' || (first !== undefined && isProviderCompaction(first))
    },
  })
}

const ASKING: Readonly<Record<string, string>> = { 'tool-call': 'toolCallId', 'tool-approval-request': 'approvalId' }
const ANSWERING: Readonly<Record<string, string>> = {
  'tool-result': 'toolCallId',
  'tool-approval-response': 'approvalId',
}

function idIn(part: AiSdkPart, names: Readonly<Record<string, string>>): readonly string[] {
  const name = names[typeOf(part)]
  const id = name === undefined ? undefined : property(part, name)
  return typeof id === 'string' ? [`${name} ${id}`] : []
}
