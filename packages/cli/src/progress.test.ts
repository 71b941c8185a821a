import { expect, it } from 'vitest'
import { progressOf } from './progress.ts'

it('renews one line, only when it changes, and wipes it at the end', () => {
  const lines: string[] = []
  const progress = progressOf(2, 'profiling', { status: (line) => lines.push(line) })
  progress.next('a.jsonl')
  for (let step = 0; step <= 1_000; step++) progress.share(step / 4_000)
  progress.next('b.jsonl')
  progress.share(7)
  progress.done()
  expect(lines[0]).toBe('profiling 1/2  a.jsonl')
  expect(lines[1]).toBe('profiling 1/2   0%  a.jsonl')
  expect(lines.slice(1, -3)).toHaveLength(26)
  expect(lines.slice(-3)).toEqual(['profiling 2/2  b.jsonl', 'profiling 2/2  100%  b.jsonl', ''])
})
