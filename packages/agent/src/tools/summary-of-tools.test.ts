import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { aiSdk, estimateText, extractiveSummarizerOf } from 'palimpsest'
import { expect, it } from 'vitest'
import { todoTool } from './todo-tool.ts'
import { callerOf, toolsInFolder } from './workspace.test-data.ts'

/** What stays of calls when no model writes the summary. */
async function summaryOf(messages: readonly LanguageModelV3Message[]): Promise<string> {
  const slices = messages.map((message, position) => ({ position, view: aiSdk.view(message) }))
  const request = { ranges: [{ from: 0, to: messages.length }], budget: 4_000, previous: [] }
  const estimate = (text: string) => estimateText(text, { family: 'generic' })
  const outcome = await extractiveSummarizerOf()({ slices, request, mode: 'automatic', estimate }, {})
  return outcome.status === 'written' ? outcome.text : outcome.status
}

it('the names of arguments, and the form of results, are those that a summary without a model finds again', async () => {
  const { root, call } = await toolsInFolder()
  await writeFile(join(root, 'settings.ts'), 'export const port = 1\n')
  const todo = callerOf([todoTool()])
  const calls = [
    ['read_file', { path: 'settings.ts' }],
    ['edit_file', { path: 'settings.ts', old_text: 'port = 1', new_text: 'port = 8443' }],
    ['bash', { command: 'sh check-ports.sh; exit 7' }],
    ['todo_write', { todos: [{ content: 'announce the port', status: 'pending' }] }],
  ] as const
  const messages: LanguageModelV3Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Change the port.' }] }]
  for (const [at, [toolName, input]] of calls.entries()) {
    const toolCallId = `call-${at}`
    const output = await (toolName === 'todo_write' ? todo : call)(toolName, input)
    const type = output.failed ? ('error-text' as const) : ('text' as const)
    messages.push(
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type, value: output.text } }] },
    )
  }
  const summary = await summaryOf(messages)
  expect(summary).toContain('\nM settings.ts\n')
  expect(summary).toContain('- [open] announce the port')
  expect(summary).toContain('- sh check-ports.sh; exit 7 → exit 7, failed')
  expect(summary).toContain('- read_file settings.ts → 1 lines\n- edit_file settings.ts → ok')
})
