import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { violation } from '../violation.ts'
import { checkCachePoints } from './check-cache-points.ts'
import { checkMessages } from './check-messages.ts'
import { checkTools } from './check-tools.ts'
import { type BedrockMessage, roleOf } from './items.ts'
import { BEDROCK_RULES } from './rules.ts'

/** What the Converse API would refuse; empty when it would not. */
export function checkConversation(view: Conversation<BedrockMessage>): readonly Violation[] {
  return [...checkMessages(view), ...checkOrder(view), ...checkTools(view), ...checkCachePoints(view)]
}

/** Who speaks when. System messages inside the conversation do not count. */
function checkOrder(view: Conversation<BedrockMessage>): readonly Violation[] {
  const speakers = view.items.flatMap((message, position) => {
    const role = roleOf(message)
    return role === 'user' || role === 'assistant' ? [{ role, position }] : []
  })
  const [first] = speakers
  const last = speakers.at(-1)
  if (first === undefined || last === undefined) {
    return [violation(BEDROCK_RULES.noMessages, {}, 'There are no messages.', 'Send at least one user message.')]
  }
  const found: Violation[] = []
  if (first.role !== 'user') {
    const text = 'The first message is the assistant’s.'
    found.push(violation(BEDROCK_RULES.first, { position: first.position }, text, 'Begin with a user message.'))
  }
  speakers.forEach(({ role, position }, index) => {
    if (speakers[index - 1]?.role !== role) return
    const text = `Message ${position} has the same role as the one before it.`
    found.push(violation(BEDROCK_RULES.alternation, { position }, text, 'Join the two messages.'))
  })
  if (last.role !== 'user') {
    const text = 'The last message is the assistant’s.'
    found.push(violation(BEDROCK_RULES.last, { position: last.position }, text, 'End with a user message.'))
  }
  return found
}
