import { describe, expect, it } from 'vitest'
import { assistant, quarter, slices, step, user } from '../engine/manifest/transcript.test-data.ts'
import { extractiveSummarizerOf, extractiveWriter } from './extractive-writer.ts'
import type { SummaryInput } from './summarizer.ts'
import { summarizerLaws } from './summarizer-laws.test-data.ts'

summarizerLaws('the extractive summariser', extractiveSummarizerOf)

function inputOf(list: SummaryInput['slices'], to = list.length): SummaryInput {
  return {
    slices: list,
    request: { ranges: [{ from: 0, to }], budget: 1_000, previous: [] },
    mode: 'automatic',
    estimate: quarter,
  }
}

describe('the extractive writer', () => {
  it('reads only what is new of a list that grows', () => {
    const all = slices(user('Fix the login'), ...step('1', 'Bash', { command: 'npm test' }, 'ok'), user('Now the docs'))
    const reads = new Map<number, number>()
    const counted = all.map(({ position, view }) => ({
      position,
      get view() {
        reads.set(position, (reads.get(position) ?? 0) + 1)
        return view
      },
    }))
    const list = counted.slice(0, 3)
    const write = extractiveWriter()
    write(inputOf(list))
    list.push(...counted.slice(3))
    expect(write(inputOf(list))).toEqual(extractiveWriter()(inputOf(all)))
    expect([...reads.values()]).toEqual([1, 1, 1, 1])
  })

  it('carries what a model wrote, and not a briefing of its own', () => {
    const list = slices(user('Fix the login'), assistant('Done.'))
    const write = extractiveWriter()
    const first = write(inputOf(list))
    const own = first.status === 'written' ? first.text : ''
    const input = inputOf(list)
    expect(write({ ...input, request: { ...input.request, previous: [own] } })).toEqual(first)
    const told = write({ ...input, request: { ...input.request, previous: ['We chose sqlite because of locks.'] } })
    expect(told).toMatchObject({ status: 'written', by: 'extractive' })
    expect(JSON.stringify(told)).toContain('We chose sqlite because of locks.')
  })

  it('says that there is nothing where nothing was said, and fails where the budget has no room for that', () => {
    const nothing = inputOf([])
    expect(extractiveWriter()(nothing)).toMatchObject({ status: 'written', text: 'Nothing to report.' })
    const none = extractiveWriter()({ ...nothing, request: { ...nothing.request, budget: 1 } })
    expect(none).toMatchObject({ status: 'failed', rejected: [{ reason: 'empty' }] })
  })
})
