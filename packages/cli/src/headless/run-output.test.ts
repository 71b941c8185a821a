import type { AgentEvent } from '@palimpsest/agent'
import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { recordingTerminal } from '../recording-terminal.test-data.ts'
import { OUTPUT_FORMATS, type OutputFormat } from './output-formats.ts'
import { runOutput } from './run-output.ts'
import { type EndedRun, type RunResult, runResult } from './run-result.ts'

/** What is printed of a turn with these events, whose steps said `texts`. */
function printed(
  format: OutputFormat,
  events: readonly AgentEvent[],
  texts: readonly string[],
  screen = false,
): string {
  const terminal = recordingTerminal({ screen })
  const output = runOutput(format, terminal)
  for (const event of events) output.event(event)
  output.end(resultOf(texts))
  return terminal.written
}

function resultOf(texts: readonly string[]): RunResult {
  const nothing = { calls: 0, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const cost = { chat: nothing, summarize: nothing, subAgents: nothing, models: [] }
  const ended: EndedRun = {
    ...{ session: 's', model: 'wirelab:demo', exitCode: 0, compactions: [] },
    turn: { outcome: 'answered', texts, steps: texts.length },
    cost: { before: cost, after: cost },
  }
  return runResult(ended)
}

const SUMMARY = 'SUMMARY: the files were read'
const compaction = (id: string): readonly AgentEvent[] => [
  { type: 'compaction-started', id, reason: 'threshold', tokensBefore: 900, cancel: () => {} },
  { type: 'summary-delta', text: SUMMARY },
  {
    ...{ type: 'compaction-applied', id, reason: 'threshold', tokensBefore: 900, tokensAfter: 300 },
    ...{ evicted: 7, attempts: 1, recordId: 'r1' },
  },
]
const step = (n: number, text: string): readonly AgentEvent[] => [
  { type: 'step-started', step: n, model: 'wirelab:demo' },
  { type: 'text-delta', text },
  { type: 'step-ended', step: n, text },
]

describe('text', () => {
  it('F3 F4 is what the steps said, in order, and nothing of a compaction between them', () => {
    const events = [...step(1, 'Before.'), ...compaction('c1'), ...step(2, ''), ...step(3, 'After.\n')]
    expect(printed('text', events, ['Before.', '', 'After.\n'])).toBe('Before.\n\nAfter.\n')
  })

  it('F3 never shows what was withdrawn', () => {
    const withdrawn: AgentEvent[] = [
      { type: 'text-delta', text: 'Half of a ' },
      { type: 'rewind', reason: 'overflow' },
    ]
    expect(printed('text', [...withdrawn, ...compaction('c1'), ...step(1, 'Whole.')], ['Whole.'])).toBe('Whole.\n')
  })

  it('F3 has what a step said that broke off, since it is stored', () => {
    const events = [...step(1, 'One.'), { type: 'text-delta', text: 'Tw' } as const]
    expect(printed('text', events, ['One.', 'Tw'])).toBe('One.\n\nTw\n')
  })

  it('does not steer the terminal that it is shown on, and stays as it is in a pipe', () => {
    const evil = 'a\u001b[2Jb'
    expect(printed('text', step(1, evil), [evil], true)).toBe('a\u241b[2Jb\n')
    expect(printed('text', step(1, evil), [evil])).toBe(`${evil}\n`)
  })
})

describe('json', () => {
  it('F4 is one object, at the end', () => {
    const out = printed('json', [...step(1, 'Yes.'), ...compaction('c1')], ['Yes.'])
    expect(out.match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(out)).toMatchObject({ type: 'result', text: 'Yes.', texts: ['Yes.'], exit_code: 0 })
  })
})

describe('stream-json', () => {
  it('F4 is a line for each event, without the text of a summary, and the object of json last', () => {
    const events = [...step(1, 'Yes.'), ...compaction('c1')]
    const lines = printed('stream-json', events, ['Yes.']).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      ...['step-started', 'text-delta', 'step-ended', 'compaction-started', 'compaction-applied', 'result'],
    ])
    expect(`${lines.at(-1)}\n`).toBe(printed('json', events, ['Yes.']))
  })

  it('BB-25 says both ends of a compaction by one id, with tokens, reason and attempts', () => {
    const lines = printed('stream-json', compaction('c9'), []).trimEnd().split('\n')
    expect(lines.slice(0, 2).map((line) => JSON.parse(line))).toEqual([
      { type: 'compaction-started', id: 'c9', reason: 'threshold', tokens_before: 900 },
      {
        ...{ type: 'compaction-applied', id: 'c9', reason: 'threshold', tokens_before: 900, tokens_after: 300 },
        ...{ evicted: 7, attempts: 1, record_id: 'r1' },
      },
    ])
  })

  it('leaves what a tool is given as it is, and writes names of fields with underscores', () => {
    const error = new PalimpsestError('effect-failed', 'It broke.', { hint: 'Mend it.' })
    const events: AgentEvent[] = [
      { type: 'tool-call', id: 't', name: 'bash', input: { timeoutSeconds: 3 } },
      { type: 'tool-result', id: 't', name: 'bash', text: 'no', failed: true, exitCode: 2, milliseconds: 5 },
      { type: 'sub-agent', id: 't', event: { type: 'summary-delta', text: SUMMARY } },
      { type: 'sub-agent', id: 't', event: { type: 'turn-ended', outcome: 'failed', error } },
    ]
    const lines = printed('stream-json', events, []).trimEnd().split('\n')
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual([
      { type: 'tool-call', id: 't', name: 'bash', input: { timeoutSeconds: 3 } },
      { type: 'tool-result', id: 't', name: 'bash', text: 'no', failed: true, exit_code: 2, milliseconds: 5 },
      {
        ...{ type: 'sub-agent', id: 't' },
        event: {
          ...{ type: 'turn-ended', outcome: 'failed' },
          error: { code: 'effect-failed', message: 'It broke.', hint: 'Mend it.' },
        },
      },
    ])
  })
})

it('F3 F4 whatever happens, each format has all texts in order and no summary', () => {
  const words = fc.stringMatching(/^[a-z]{1,8}$/)
  const parts = fc.array(fc.oneof(words, fc.constant('compaction'), fc.constant('')), { maxLength: 12 })
  fc.assert(
    fc.property(parts, fc.constantFrom(...OUTPUT_FORMATS), (happens, format) => {
      const events = happens.flatMap((part, n) => (part === 'compaction' ? compaction(`c${n}`) : step(n, part)))
      const texts = happens.filter((part) => part !== 'compaction')
      const said = texts.filter((text) => text !== '')
      const out = printed(format, events, texts)
      expect(out).not.toContain('SUMMARY')
      if (format === 'text') expect(out).toBe(said.length === 0 ? '' : `${said.join('\n\n')}\n`)
      else expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '').texts).toEqual(said)
    }),
  )
})
