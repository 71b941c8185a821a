import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import { renderPlan } from '../../engine/plan/render.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { frozen } from './frozen.test-data.ts'
import { aiSdk } from './index.ts'

test('any run of whole groups may leave, behind a summary, and the view stays valid', () => {
  fc.assert(
    fc.property(arbitraryRequest, fc.nat(), fc.nat(), (request, seed, length) => {
      const items = frozen(aiSdk.open(request).items)
      const views = items.map(aiSdk.view)
      const groups = groupMessages(views)
      const positions = groups.map((group) => group.slices.map((slice) => slice.position))
      const first = seed % groups.length
      const left = positions.slice(first, first + 1 + (length % groups.length)).flat()
      const [from = 0] = left
      const plan = {
        drop: left.map((position) => ({ from: position, to: position + 1 })),
        summaries: [{ insert_after: from - 1, content: 'S' }],
      }
      const read = { length: items.length, item: at(items), view: at(views) }
      expect(aiSdk.check({ system: [], items: renderPlan(aiSdk, read, plan) })).toEqual([])
    }),
    { numRuns: 500 }, // one run groups and renders up to 60 messages
  )
})

function at<T>(list: readonly T[]): (position: number) => T {
  return (position) => {
    const found = list[position]
    if (found === undefined) throw new RangeError(`There is no position ${position}.`)
    return found
  }
}
