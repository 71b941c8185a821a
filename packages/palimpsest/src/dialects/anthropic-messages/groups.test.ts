import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import type { RenderContext, ThinkingBinding } from '../../engine/messages/message.ts'
import { type ReadItems, renderPlan } from '../../engine/plan/render.ts'
import { evictGroups } from '../../engine/strategies/evict.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { deepFreeze } from './deep-freeze.test-data.ts'
import { type AnthropicMessage, anthropicMessages } from './index.ts'

/** Refusals that send the boundary elsewhere: a pair of the provider's own cut in two, a summary beside results. */
const ELSEWHERE = [
  'anthropic/server-result-without-call',
  'anthropic/server-call-without-result',
  'anthropic/alternation',
]

it('LAW: any run of whole groups may leave behind a summary, and the view stays valid', () => {
  fc.assert(
    fc.property(arbitraryRequest, fc.nat(), fc.nat(), arbitraryContext(), ({ messages }, seed, length, context) => {
      const items = read(deepFreeze(messages))
      const groups = groupMessages(messages.map(anthropicMessages.view))
      const first = seed % groups.length
      const last = first + (length % (groups.length - first))
      const gone = evictGroups(groups, (_, index) => index >= first && index <= last, {})
      const from = groups[first]?.slices[0]?.position ?? 0
      // Words behind results leave, the results stay: then the summary stands behind that message.
      const isShared = !gone.drop.some((range) => range.from <= from && from < range.to)
      const plan = { ...gone, summaries: [{ insert_after: isShared ? from : from - 1, content: 'S' }] }
      const view = renderPlan(anthropicMessages, items, plan, context)
      const rules = anthropicMessages.check({ system: [], items: view, tools: [{}] }, context).map(({ rule }) => rule)
      expect(rules.filter((rule) => !ELSEWHERE.includes(rule))).toEqual([])
    }),
    { numRuns: 500 }, // one run groups and renders up to 60 messages
  )
})

function arbitraryContext(): fc.Arbitrary<RenderContext> {
  return fc.record({
    thinkingBinding: fc.constantFrom<ThinkingBinding>('turn', 'prefix'),
    strictAlternation: fc.boolean(),
  })
}

function read(messages: readonly AnthropicMessage[]): ReadItems<AnthropicMessage> {
  const item = (position: number) => messages[position] as AnthropicMessage
  return { length: messages.length, item, view: (position) => anthropicMessages.view(item(position)) }
}
