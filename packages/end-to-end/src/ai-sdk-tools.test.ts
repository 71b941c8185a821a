import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LabCall, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import { ToolLoopAgent, wrapLanguageModel } from 'ai'
import { palimpsestContext, palimpsestTools } from 'palimpsest/ai-sdk'
import { directoryStores } from 'palimpsest/stores/node'
import { afterEach, expect, test } from 'vitest'
import { modelAt, readTool, TASK, wordsOf } from './ai-sdk.test-data.ts'

const WINDOW = 32_000
const READS = 40
const open: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened(): Promise<{ readonly lab: Wirelab; readonly folder: string }> {
  const lab = await startWirelab({ window: WINDOW, script: forgetfulReader })
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'))
  open.push(lab, { close: () => rm(folder, { recursive: true }) })
  return { lab, folder }
}

/** Reads, asks for a compaction, then looks for what it read first and opens what the view points at. */
function forgetfulReader({ answered, body }: LabCall) {
  const call = (name: string, input: object) => ({
    parts: [{ kind: 'tool-call' as const, id: `toolu_${answered}`, name, input }],
  })
  if (answered < READS) return call('read', { step: answered, tokens: 1_500 })
  if (answered === READS) return call('search_history', { query: 'line 120 of file 3' })
  if (answered === READS + 1) return call('read_history', { from: 1, to: 3 })
  const artifact = /artifact:\/\/[0-9a-f]{32}/.exec(JSON.stringify(body))?.[0]
  if (answered === READS + 2) return call('read_history', { path: artifact ?? 'artifact://none', limit: 500 })
  if (answered === READS + 3) return call('compact_conversation', {})
  return { parts: [{ kind: 'text' as const, text: 'All is read.' }] }
}

test.each(['anthropic', 'openai chat', 'google'])('an agent on %s finds again what left its prompt', async (name) => {
  const { lab, folder } = await opened()
  const reasons: string[] = []
  const context = palimpsestContext({
    window: WINDOW,
    session: 'reading',
    stores: directoryStores(folder),
    onEvent: (event) => void (event.type === 'compaction-applied' && reasons.push(event.reason)),
  })
  const agent = new ToolLoopAgent({
    model: wrapLanguageModel({ model: modelAt(name, lab.url), middleware: context.middleware }),
    tools: { ...palimpsestTools(context), read: readTool },
    maxOutputTokens: 2_000,
    maxRetries: 0,
    stopWhen: ({ steps }) => steps.length > 60,
  })
  const { text, steps } = await agent.generate({ prompt: TASK })
  expect(text).toBe('All is read.')
  expect(lab.calls.filter((call) => call.outcome !== 'answered')).toEqual([])
  const answers = steps.flatMap((step) => step.toolResults.filter((one) => one.toolName !== 'read'))
  const [searched, history, artifact] = answers.map((one) => String(one.output))
  expect(searched).toContain(wordsOf(1_500, 3).split('\n')[120])
  expect(history).toContain(wordsOf(1_500, 0))
  expect(artifact).toContain('line 0 of file')
  expect(reasons).toContain('threshold')
  expect(reasons.at(-1)).toBe('tool')
  expect((await readdir(folder, { recursive: true })).some((one) => one.endsWith('reading.md'))).toBe(true)
})
