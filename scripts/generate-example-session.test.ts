import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { exampleSession } from './generate-example-session.mjs'

interface Line {
  type: string
  message?: { id?: string; content: string | Block[]; usage?: Record<string, number> }
}
interface Block {
  type: string
  id?: string
  tool_use_id?: string
  is_error?: boolean
}

const shipped = fileURLToPath(new URL('../examples/sessions/ledger-service.jsonl', import.meta.url))
const text = readFileSync(shipped, 'utf8')
const lines = text
  .split('\n')
  .slice(0, -1)
  .map((line) => JSON.parse(line) as Line)
const blocks = lines.flatMap((line) => (Array.isArray(line.message?.content) ? line.message.content : []))

describe('the example session', () => {
  it('is what its generator writes, byte for byte, twice', () => {
    expect(exampleSession() === text).toBe(true)
    expect(exampleSession() === text).toBe(true)
  })

  it('is long enough to show something: 150 messages with tool calls, a peak far above 200,000 tokens, under 1.5 MB', () => {
    const calls = new Set(lines.filter((line) => line.type === 'assistant').map((line) => line.message?.id))
    const results = blocks.filter((block) => block.type === 'tool_result')
    expect(calls.size + results.length).toBeGreaterThanOrEqual(150)
    const prompts = lines.flatMap((line) => (line.message?.usage === undefined ? [] : [promptOf(line.message.usage)]))
    expect(Math.max(...prompts)).toBeGreaterThan(240_000)
    expect(Buffer.byteLength(text)).toBeLessThan(1_500_000)
  })

  it('answers every call once, after it was made', () => {
    const open = new Set<string | undefined>()
    for (const block of blocks) {
      if (block.type === 'tool_use') open.add(block.id)
      if (block.type === 'tool_result') expect(open.delete(block.tool_use_id)).toBe(true)
    }
    expect(open.size).toBe(0)
  })

  it('has errors, thinking and parallel calls in it', () => {
    expect(blocks.filter((block) => block.is_error).length).toBeGreaterThanOrEqual(5)
    expect(blocks.filter((block) => block.type === 'thinking').length).toBeGreaterThanOrEqual(10)
    const perMessage = new Map<string | undefined, number>()
    for (const line of lines) {
      const uses = Array.isArray(line.message?.content)
        ? line.message.content.filter((block) => block.type === 'tool_use')
        : []
      perMessage.set(line.message?.id, (perMessage.get(line.message?.id) ?? 0) + uses.length)
    }
    perMessage.delete(undefined)
    expect(Math.max(...perMessage.values())).toBe(3)
  })
})

function promptOf(usage: Record<string, number>): number {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((key) => usage[key] ?? 0)
  expect(Math.min(...parts)).toBeGreaterThanOrEqual(0)
  return parts.reduce((sum, part) => sum + part, 0)
}
