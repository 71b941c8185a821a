import { expect, it } from 'vitest'
import type { AnthropicMessage } from '../dialects/anthropic-messages/index.ts'
import { memoryStores } from '../stores/memory-stores.ts'
import { eventsOf, requestOf, toolStep, watchedCompactor } from './live-session.test-data.ts'

const READER = { tool: 'read_file', also: ['read_history', 'search_history'] } as const
const TASK: AnthropicMessage = { role: 'user', content: 'Fix the bug. Never push to main.' }

it.each([READER.tool, ...READER.also])(
  'CF-20 C3 what the agent reads by %s is not stored again; cut, it stands beside the call that reads it',
  async (tool) => {
    const stores = memoryStores()
    const { compactor, events } = watchedCompactor({ window: 64_000, stores, reader: READER })
    const steps = Array.from({ length: 40 }, (_, number) => stepOf(number % 2 === 0 ? tool : 'fetch_page', number))
    const prepared = await compactor.prepare(requestOf([TASK, ...steps.flat()]))
    const own = new Set(prepared.record?.plan.truncations?.map((one) => one.message_index))
    const stored = prepared.record?.plan.offloads?.map((one) => one.message_index) ?? []
    expect(eventsOf(events, 'artifact-stored')).toHaveLength(stored.length)
    expect(stored.length).toBeGreaterThan(0)
    // of two messages a step has, the second is the result
    expect(stored.map((position) => toolOf(position, tool))).not.toContain(tool)
    expect([...own].map((position) => toolOf(position, tool))).toContain(tool)
    const text = JSON.stringify(prepared.request)
    for (const position of own) expect(text).toContain(`src/file-${(position - 2) / 2}.ts`)
  },
)

function stepOf(tool: string, number: number): readonly AnthropicMessage[] {
  const [call, result] = toolStep(number, 6_000)
  return JSON.parse(JSON.stringify([call, result]).replace('"name":"read"', `"name":"${tool}"`))
}

function toolOf(position: number, tool: string): string {
  return ((position - 2) / 2) % 2 === 0 ? tool : 'fetch_page'
}
