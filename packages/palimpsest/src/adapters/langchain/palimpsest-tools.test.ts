import { describe, expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory-stores.ts'
import { entry } from '../../stores/store-examples.ts'
import { palimpsestTools } from './palimpsest-tools.ts'

const CONVERSATION = { namespace: 'default', session: 'thread-1' }

async function toolsWithHistory() {
  const stores = memoryStores()
  await stores.history.append(CONVERSATION, [
    entry(0, '## 0 user\n\nNever touch vault.\n'),
    entry(1, '## 1 tool read\n\nENOENT config.json\n'),
  ])
  const key = await stores.artifacts.put('default', 'the whole output')
  const tools = palimpsestTools({
    stores,
    conversationOf: ({ threadId }) =>
      threadId === undefined ? undefined : { namespace: 'default', session: threadId },
  })
  const ask = (name: string, args: object, threadId: string | undefined = 'thread-1') =>
    tools
      .find((tool) => tool.name === name)
      ?.invoke({ type: 'tool_call', id: 'c1', name, args }, { configurable: { thread_id: threadId } })
  return { tools, ask, key }
}

describe('the tools of the middleware', () => {
  test('read messages that left the view, a range or a page of them', async () => {
    const { ask } = await toolsWithHistory()
    expect(await ask('read_history', { from: 1 })).toBe('## 1 tool read\n\nENOENT config.json\n')
    expect(await ask('read_history', { limit: 9 })).toBe('## 0 user\n[57 more characters; read on with offset 9]')
    expect(await ask('read_history', { from: 7 })).toContain('still in view')
  })

  test('search them, and read artifacts', async () => {
    const { ask, key } = await toolsWithHistory()
    expect(await ask('search_history', { query: 'enoent' })).toMatch(/^1 found, 1 shown\.\n\n## message 1, offset \d+/)
    expect(await ask('read_history', { path: `artifact://${key}` })).toBe('the whole output')
    expect(await ask('read_history', { path: 'artifact://0000' })).toBe('There is no such artifact.')
  })

  test('say why where they cannot, and reach no other conversation', async () => {
    const { ask } = await toolsWithHistory()
    expect(await ask('read_history', { offset: -1 })).toContain('offset must be 0')
    expect(await ask('search_history', { query: 'vault' }, 'thread-2')).toBe('Nothing has left the conversation yet.')
    const { tools } = await toolsWithHistory()
    expect(await tools[1]?.invoke({ from: 0 })).toContain('cannot be told which conversation')
  })
})
