import { fieldsOf } from '../../dialects/json-fields.ts'
import { type LangChainMessage, langchain } from '../../dialects/langchain/index.ts'
import { TOOL_NAMES } from '../../stores/history-tools.ts'

/**
 * The id of the call by which the model's last step asked for a compaction; undefined where it did not. Read from the messages
 * alone, so that it is found by whichever process makes the next call.
 */
export function askedCompaction(messages: readonly LangChainMessage[]): string | undefined {
  const lastStep = messages.findLastIndex((message) => fieldsOf(message).type === 'ai')
  const step = messages[lastStep]
  if (step === undefined || lastStep === messages.length - 1) return undefined
  return langchain
    .view(step)
    .parts.find(({ kind, toolName }) => kind === 'tool-call' && toolName === TOOL_NAMES.compact)?.callId
}
