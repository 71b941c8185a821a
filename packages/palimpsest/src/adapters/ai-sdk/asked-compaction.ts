import type { AiSdkMessage } from '../../dialects/ai-sdk/index.ts'
import { fieldsOf, listOf } from '../../dialects/json-fields.ts'
import { COMPACTION_FOLLOWS, TOOL_NAMES } from '../../stores/history-tools.ts'

/**
 * The id of the call by which the model's last step asked for a compaction; undefined where it did not. Read from the prompt
 * alone, so that it is found by whichever process makes the next call.
 */
export function askedCompaction(prompt: readonly AiSdkMessage[]): string | undefined {
  const lastStep = prompt.findLastIndex((message) => message.role === 'assistant')
  const results = prompt.slice(lastStep + 1).flatMap((message) => listOf(message.content).map(fieldsOf))
  const asked = results.find(
    ({ type, toolName, output }) =>
      type === 'tool-result' && toolName === TOOL_NAMES.compact && fieldsOf(output).value === COMPACTION_FOLLOWS,
  )
  return typeof asked?.toolCallId === 'string' ? asked.toolCallId : undefined
}
