import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openaiResponses, type ResponsesItem, type ResponsesRequest } from './index.ts'

/** Recorded requests that nobody of this project wrote; they lie beside the repository where they are present. */
const CORPUS = new URL('../../../../../../shared/corpus/openai-responses/', import.meta.url)
const files = existsSync(CORPUS) ? readdirSync(CORPUS) : []

describe.skipIf(files.length === 0)('recorded requests (skipped where the corpus is absent)', () => {
  test.each(files)('%s is recognised, breaks no rule, and closes to itself', (file) => {
    const request: ResponsesRequest = JSON.parse(readFileSync(new URL(file, CORPUS), 'utf8'))
    const opened = openaiResponses.open(request)
    expect(openaiResponses.recognises(request)).toBeGreaterThan(0.5)
    expect(openaiResponses.check(opened)).toEqual([])
    expect(openaiResponses.close(request, opened)).toBe(request)
  })
})

const ROLLOUTS = new URL('../codex-rollout/', CORPUS)
const rollouts = existsSync(ROLLOUTS) ? readdirSync(ROLLOUTS) : []

describe.skipIf(rollouts.length === 0)('items of recorded Codex sessions (skipped where the corpus is absent)', () => {
  test.each(rollouts)('%s: every known item is read as what it is', (file) => {
    const lines = readFileSync(new URL(file, ROLLOUTS), 'utf8').split('\n')
    const items = lines.flatMap((line): ResponsesItem[] => {
      if (!line.startsWith('{') || !line.includes('"response_item"')) return []
      const { type, payload } = JSON.parse(line)
      return type === 'response_item' ? [payload] : []
    })
    expect(items.length).toBeGreaterThan(0)
    for (const item of items) {
      const { role, parts } = openaiResponses.view(item)
      const expected = EXPECTED[String(item.type)]
      if (expected !== undefined) expect([role, parts[0]?.kind]).toEqual(expected)
      if (expected?.[1].startsWith('tool')) expect(parts[0]?.callId).toBe(item.call_id)
    }
  })
})

const EXPECTED: Readonly<Record<string, readonly [role: string, kind: string]>> = {
  reasoning: ['assistant', 'reasoning'],
  function_call: ['assistant', 'tool-call'],
  custom_tool_call: ['assistant', 'tool-call'],
  function_call_output: ['tool', 'tool-result'],
  custom_tool_call_output: ['tool', 'tool-result'],
  web_search_call: ['assistant', 'opaque'],
}
