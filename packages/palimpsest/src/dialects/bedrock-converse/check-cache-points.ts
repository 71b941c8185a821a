import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { violation } from '../violation.ts'
import { cachePoints, MAX_CACHE_POINTS } from './cache.ts'
import { type BedrockMessage, blocksOf, isReasoning } from './items.ts'
import { BEDROCK_RULES } from './rules.ts'

/** Rules about cache points: how many, where, and in which order of their times to live. */
export function checkCachePoints(view: Conversation<BedrockMessage>): readonly Violation[] {
  const points = cachePoints(view)
  const found: Violation[] = []
  if (points.length > MAX_CACHE_POINTS) {
    const text = `${points.length} cache points are set, ${MAX_CACHE_POINTS} are allowed.`
    found.push(violation(BEDROCK_RULES.tooManyPoints, {}, text, 'Take the first ones away.'))
  }
  points.forEach(({ ttl, position, at }, index) => {
    const place = position === undefined ? {} : { position }
    if (ttl === '1h' && points.slice(0, index).some((earlier) => earlier.ttl === '5m')) {
      const text = 'A cache point that lives an hour stands behind one that lives five minutes.'
      found.push(violation(BEDROCK_RULES.pointOrder, place, text, 'Give the later point the shorter time.'))
    }
    const message = position === undefined ? undefined : view.items[position]
    if (message === undefined || at === undefined) return
    const before = blocksOf(message)[at - 1]
    if (before !== undefined && !isReasoning(before)) return
    const text = `A cache point of message ${position} stands ${before === undefined ? 'first' : 'behind reasoning'}.`
    found.push(violation(BEDROCK_RULES.pointPlace, place, text, 'Put it behind text, a call or a result.'))
  })
  return found
}
