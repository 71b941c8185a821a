import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { violation } from '../violation.ts'
import { cacheMarks, isMarkable, MAX_CACHE_MARKS, spentMarks } from './cache.ts'
import type { AnthropicMessage } from './items.ts'
import { ANTHROPIC_RULES } from './rules.ts'

/** Rules about cache marks: how many, where, and in which order of their times to live. */
export function checkMarks(view: Conversation<AnthropicMessage>): readonly Violation[] {
  const marks = cacheMarks(view)
  const found: Violation[] = []
  const spent = spentMarks(view)
  if (spent > MAX_CACHE_MARKS) {
    const text = `${spent} cache marks are set, ${MAX_CACHE_MARKS} are allowed.`
    found.push(violation(ANTHROPIC_RULES.tooManyMarks, {}, text, 'Take the first ones away.'))
  }
  marks.forEach(({ block, ttl, ...place }, index) => {
    // Tool definitions and system blocks need no type of a message block to carry a mark.
    if (place.position !== undefined && !isMarkable(block)) {
      const text = 'A cache mark stands on thinking or on empty text.'
      found.push(violation(ANTHROPIC_RULES.markPlace, place, text, 'Put the mark on another block.'))
    }
    if (ttl === '1h' && marks.slice(0, index).some((earlier) => earlier.ttl === '5m')) {
      const text = 'A cache mark that lives an hour stands behind one that lives five minutes.'
      found.push(violation(ANTHROPIC_RULES.markOrder, place, text, 'Give the later mark the shorter time.'))
    }
  })
  return found
}
