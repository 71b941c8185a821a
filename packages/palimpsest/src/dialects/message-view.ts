import type { MessageView, PartView } from '../engine/messages/message.ts'
import { isCheckpointText } from '../engine/summary/checkpoint-text.ts'

/**
 * The view of a message where results stand in messages of the user: results alone make it the tool's. A summary of ours
 * that nothing of the user's own was joined to is a checkpoint.
 */
export function viewOfParts(role: string, parts: readonly PartView[]): MessageView {
  if (role === 'assistant' || role === 'system') return { role, parts }
  const ofTool = parts.length > 0 && parts.every((part) => part.kind === 'tool-result')
  return { role: ofTool ? 'tool' : 'user', parts, ...(isCheckpoint(parts) && { checkpoint: true }) }
}

function isCheckpoint(parts: readonly PartView[]): boolean {
  const first = parts.find((part) => part.kind === 'text')
  return first !== undefined && isCheckpointText(first.text()) && parts.every((part) => part.injected === true)
}
