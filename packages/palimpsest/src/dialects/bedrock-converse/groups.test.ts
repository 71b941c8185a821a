import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import type { ThinkingBinding } from '../../engine/messages/message.ts'
import { type ReadItems, renderPlan } from '../../engine/plan/render.ts'
import { evictGroups } from '../../engine/strategies/evict.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { deepFreeze } from './deep-freeze.test-data.ts'
import { type BedrockMessage, bedrockConverse } from './index.ts'

it('LAW: any run of whole groups may leave behind a summary, and the view stays valid', () => {
  const binding = fc.constantFrom<ThinkingBinding>('turn', 'prefix')
  fc.assert(
    fc.property(arbitraryRequest, fc.nat(), fc.nat(), binding, ({ messages = [] }, seed, length, thinkingBinding) => {
      const items = read(deepFreeze(messages))
      const groups = groupMessages(messages.map(bedrockConverse.view))
      const first = seed % groups.length
      const last = first + (length % (groups.length - first))
      const gone = evictGroups(groups, (_, index) => index >= first && index <= last, {})
      const from = groups[first]?.slices[0]?.position ?? 0
      // Words behind results leave, the results stay: then the summary stands behind that message.
      const isShared = !gone.drop.some((range) => range.from <= from && from < range.to)
      const at = isShared ? from : from - 1
      const plan = { ...gone, summaries: [{ insert_after: at, content: 'S' }] }
      const view = renderPlan(bedrockConverse, items, plan, { thinkingBinding })
      const rules = bedrockConverse.check({ system: [], items: view, tools: [{}] }).map(({ rule }) => rule)
      // A summary behind kept results cannot be joined to them: such a boundary is refused, and moves.
      const isBehindResults = messages[at]?.content?.some((block) => block.toolResult !== undefined) === true
      expect(rules.filter((rule) => !(isBehindResults && rule === 'bedrock/alternation'))).toEqual([])
    }),
    { numRuns: 500 }, // one run groups and renders up to 60 messages
  )
})

function read(messages: readonly BedrockMessage[]): ReadItems<BedrockMessage> {
  const item = (position: number) => messages[position] as BedrockMessage
  return { length: messages.length, item, view: (position) => bedrockConverse.view(item(position)) }
}
