import type { Conversation, RenderContext, Violation } from '../../engine/messages/message.ts'
import { checkMarks } from './check-marks.ts'
import { checkMessages } from './check-messages.ts'
import { checkPlaces } from './check-places.ts'
import { checkTools } from './check-tools.ts'
import type { AnthropicMessage } from './items.ts'

/** What the Messages API would refuse, in the order of the messages within each group of rules; empty when it would not. */
export function checkConversation(
  view: Conversation<AnthropicMessage>,
  context: Partial<RenderContext> = {},
): readonly Violation[] {
  return [...checkMessages(view), ...checkPlaces(view, context), ...checkTools(view), ...checkMarks(view)]
}
