import { expect, it } from 'vitest'
import type { AnthropicMessage } from '../dialects/anthropic-messages/index.ts'
import { memoryStores } from '../stores/memory-stores.ts'
import { requestOf, toolStep, toolSteps, watchedCompactor } from './live-session.test-data.ts'

const TASK: AnthropicMessage = { role: 'user', content: 'Fix the bug. Never push to main.' }

/** Stores that tell which positions each call of `append` brought. */
function watchedStores(fails: (call: number) => boolean = () => false) {
  const stores = memoryStores()
  const appended: number[][] = []
  let calls = 0
  const history: typeof stores.history = {
    ...stores.history,
    append: (session, entries, call) => {
      if (entries.length > 0 && fails(calls++)) return Promise.reject(new Error('disk full'))
      if (entries.length > 0) appended.push(entries.map(({ position }) => position))
      return stores.history.append(session, entries, call)
    },
  }
  return { stores: { ...stores, history }, appended }
}

/** A conversation that grows until it was compacted so often; the positions that left its view. */
async function growing(stores: ReturnType<typeof watchedStores>['stores'], compactions: number) {
  const { compactor, events } = watchedCompactor({ window: 32_000, stores, reader: { tool: 'read_history' } })
  const messages = [TASK, ...toolSteps(20, 2_000)]
  const count = () => events.filter(({ type }) => type === 'compaction-applied').length
  for (let step = 20; count() < compactions; step++) {
    messages.push(...toolStep(step, 2_000))
    await compactor.prepare(requestOf(messages))
  }
  const { record } = await compactor.prepare(requestOf(messages))
  const { drop = [], offloads = [], truncations = [] } = record?.plan ?? {}
  const dropped = drop.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at))
  return new Set([...dropped, ...[...offloads, ...truncations].map((one) => one.message_index)])
}

it('E3 a message goes to the history once, however often the conversation is compacted', async () => {
  const { stores, appended } = watchedStores()
  const evicted = await growing(stores, 4)
  expect(appended.length).toBeGreaterThanOrEqual(4)
  const all = appended.flat()
  expect(new Set(all).size).toBe(all.length)
  expect(new Set(all)).toEqual(evicted)
})

it('E3 what a history did not take goes there with the next compaction', async () => {
  const { stores, appended } = watchedStores((call) => call === 1)
  const evicted = await growing(stores, 4)
  expect(new Set(appended.flat())).toEqual(evicted)
})

it('E3 another process, which cannot know, brings all of it again', async () => {
  const { stores, appended } = watchedStores()
  await growing(stores, 2)
  const first = appended.length
  const evicted = await growing(stores, 3)
  expect(new Set(appended.slice(first).flat())).toEqual(evicted)
})
