import { memoryStores, PalimpsestError, virtualFiles } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AgentTool, ToolFailure } from './agent-tool.ts'
import { historyTools } from './history-tools.ts'
import { Permissions } from './permissions.ts'
import { runTool } from './run-tool.ts'
import { todoTool } from './todo-tool.ts'
import { toolDefinition } from './tool-definition.ts'
import { callerOf, SCOPE } from './workspace.test-data.ts'
import { workspaceTools } from './workspace-tools.ts'

const call = { id: 'c', signal: new AbortController().signal }
const permissions = new Permissions({ allow: ['all'], root: '/w' })

function toolThat(run: () => Promise<never>): AgentTool {
  return { name: 'probe', description: '', input: z.strictObject({ n: z.int().optional() }), run }
}

describe('a call of a tool', () => {
  it.each([
    [new ToolFailure('it is not there'), 'it is not there'],
    [new PalimpsestError('effect-failed', 'the store failed.', { hint: 'Try again.' }), 'the store failed. Try again.'],
    [Object.assign(new Error('ENOSPC: no space left, write'), { code: 'ENOSPC', syscall: 'write' }), 'ENOSPC'],
  ])('gives what the world refused as a failure: %s', async (error, text) => {
    const output = await runTool(
      toolThat(() => Promise.reject(error)),
      {},
      call,
      permissions,
    )
    expect(output).toMatchObject({ failed: true, text: expect.stringContaining(text) })
  })

  it('throws for faults of ours, and for an aborted signal its reason', async () => {
    await expect(
      runTool(
        toolThat(() => Promise.reject(new TypeError('bug'))),
        {},
        call,
        permissions,
      ),
    ).rejects.toThrow('bug')
    const aborted = { id: 'c', signal: AbortSignal.abort(new Error('stop')) }
    await expect(
      runTool(
        toolThat(() => Promise.reject(new TypeError('bug'))),
        {},
        aborted,
        permissions,
      ),
    ).rejects.toThrow('stop')
  })

  it.each([
    ['{"n": 1', 'no valid JSON'],
    [{ n: 'x', m: 1 }, '- n: '],
    [[1], 'arguments: '],
  ])('says of the arguments %j what is wrong, and runs nothing', async (input, text) => {
    const output = await runTool(
      toolThat(() => Promise.reject(new TypeError('ran'))),
      input,
      call,
      permissions,
    )
    expect(output).toMatchObject({ failed: true, text: expect.stringContaining(text) })
  })

  it('takes null for left out', async () => {
    const tool: AgentTool<{ n?: number }> = {
      ...toolThat(() => Promise.reject(new TypeError())),
      run: async (input) => ({ text: JSON.stringify(input) }),
    }
    expect(await runTool(tool, { n: null }, call, permissions)).toEqual({ text: '{}' })
  })
})

describe('the definitions of the tools', () => {
  const stores = memoryStores()
  const tools = [
    ...workspaceTools({ root: '/w', history: virtualFiles(stores, SCOPE), env: {} }),
    todoTool(),
    ...historyTools({ stores, ...SCOPE }),
  ]

  it('have the names that the field uses, in one order, and the same bytes each time', () => {
    expect(tools.map(({ name }) => name)).toEqual([
      'read_file',
      'write_file',
      'edit_file',
      'list_files',
      'search_files',
      'bash',
      'todo_write',
      'compact_conversation',
      'read_history',
      'search_history',
    ])
    expect(JSON.stringify(tools.map(toolDefinition))).toBe(JSON.stringify(tools.map(toolDefinition)))
  })

  it.each(tools.map((tool) => [tool.name, toolDefinition(tool)] as const))(
    '%s is an object that providers take',
    (_, definition) => {
      expect(definition).toMatchObject({
        type: 'function',
        inputSchema: { type: 'object', additionalProperties: false },
      })
      expect(JSON.stringify(definition.inputSchema)).not.toMatch(/\$schema|9007199254740991|\$ref/)
    },
  )
})

describe('tools on the conversation', () => {
  it('D8 answer that a compaction follows, or that it is too early', async () => {
    const asked = { stores: memoryStores(), ...SCOPE }
    const answer = async (mayCompact?: () => boolean) =>
      (await callerOf(historyTools({ ...asked, ...(mayCompact && { mayCompact }) }))('compact_conversation', {})).text
    expect(await answer()).toBe('The conversation is compacted before your next step.')
    expect(await answer(() => true)).toBe('The conversation is compacted before your next step.')
    expect(await answer(() => false)).toContain('was not compacted')
  })

  it('D9 find what left the view', async () => {
    const stores = memoryStores()
    await stores.history.append(SCOPE, [{ position: 0, fingerprint: '0123456789abcdef', markdown: 'the port is 8443' }])
    const run = callerOf(historyTools({ stores, ...SCOPE }))
    expect((await run('search_history', { query: 'port' })).text).toContain('message 0')
    expect((await run('read_history', {})).text).toContain('8443')
    expect(await run('read_history', { limit: 1 })).toMatchObject({
      failed: true,
      text: expect.stringContaining('limit'),
    })
  })

  it('write down a list, and say how far it is', async () => {
    const todos = [
      { content: 'read', status: 'completed' },
      { content: 'write', status: 'in_progress' },
      { content: 'test', status: 'pending' },
    ]
    const output = await callerOf([todoTool()])('todo_write', { todos })
    expect(output).toEqual({ text: '[x] read\n[~] write\n[ ] test', brief: '1 of 3 done: write' })
  })
})
