import { describe, expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory-stores.ts'
import { entry } from '../../stores/store-examples.ts'
import { AnsweringCalls } from './answering-calls.ts'
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

describe('whose version of a message is read', () => {
  const AI = { type: 'ai', content: '', tool_calls: [{ id: 'c1', name: 'read_history', args: {} }] }
  const own = (digit: string) => () => digit.repeat(16)

  test('E3 is that of the conversation which made the call', async () => {
    const stores = memoryStores()
    const versions = ['1', '2'].map((at) => ({ ...entry(0, `version ${at}`), fingerprint: own(at)() }))
    await stores.history.append(CONVERSATION, versions)
    const calls = new AnsweringCalls()
    const tools = palimpsestTools({
      stores,
      conversationOf: ({ id = '' }) => {
        const asking = calls.conversationOf(id)
        return { ...CONVERSATION, ...(asking && { own: asking.own }) }
      },
    })
    const ask = (name: string, args: object) =>
      tools.find((tool) => tool.name === name)?.invoke({ type: 'tool_call', id: 'c1', name, args })
    expect(await ask('read_history', {})).toBe('version 1\nversion 2')
    calls.note(AI, { session: CONVERSATION.session, own: own('2') })
    expect(await ask('read_history', {})).toBe('version 2')
    expect(await ask('search_history', { query: '1' })).toBe('None of these words is in what is stored.')
    calls.note(AI, { session: CONVERSATION.session, own: own('1') })
    expect(await ask('read_history', {})).toBe('version 1')
  })

  test('is not guessed where two conversations made a call of one id', () => {
    const calls = new AnsweringCalls()
    for (const session of ['a', 'b']) calls.note(AI, { session, own: own('1') })
    expect(calls.conversationOf('c1')).toBeUndefined()
    expect(calls.conversationOf('c2')).toBeUndefined()
  })
})
