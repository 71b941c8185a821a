import type { AgentEvent } from '@palimpsest/agent'
import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { screenNotation, shownAfter } from './repl-screen.test-data.ts'
import { emptyScreen, type ReplScreen } from './repl-screen.ts'
import { showEvent, withNothingRunning } from './show-event.ts'

const step = { type: 'step-started', step: 1, model: 'm' } as const
const says = (text: string): AgentEvent => ({ type: 'text-delta', text })
const thinks = (text: string): AgentEvent => ({ type: 'reasoning-delta', text })
const call = (id: string): AgentEvent => ({ type: 'tool-call', id, name: 'bash', input: { command: 'ls' } })
const result = (id: string): AgentEvent => ({
  type: 'tool-result',
  id,
  name: 'bash',
  text: 'a\nb',
  failed: false,
  milliseconds: 3,
})
const started: AgentEvent = {
  type: 'compaction-started',
  id: 'c',
  reason: 'threshold',
  tokensBefore: 9,
  cancel() {},
}
const applied = (reason: 'threshold' | 'manual' = 'threshold'): AgentEvent => ({
  type: 'compaction-applied',
  id: 'c',
  reason,
  tokensBefore: 9,
  tokensAfter: 3,
  evicted: 2,
  attempts: 1,
  recordId: 'r',
})
const ended = (text: string): AgentEvent => ({ type: 'step-ended', step: 1, text })
const rewind: AgentEvent = { type: 'rewind', reason: 'overflow' }

describe('what a turn shows', () => {
  it.each<[string, readonly AgentEvent[], string]>([
    ['text as it streams', [step, says('Hel'), says('lo'), ended('Hello')], 'assistant:Hello'],
    ['text that did not stream', [step, ended('Hello')], 'assistant:Hello'],
    ['reasoning before text', [step, thinks('Hm'), says('A'), says('B')], 'reasoning:Hm | assistant:AB'],
    ['a call and its result', [step, says('A'), ended('A'), call('1'), result('1')], 'assistant:A | tool:1=2'],
    ['calls at once', [step, call('1'), call('2'), result('2')], 'tool:1… | tool:2=2'],
    ['a call whose id comes again', [call('1'), result('1'), call('1')], 'tool:1=2 | tool:1…'],
    ['two steps', [step, says('A'), ended('A'), step, says('B')], 'assistant:A | assistant:B'],
    [
      'a step that is withdrawn',
      [step, says('A'), ended('A'), step, says('B'), rewind, says('C')],
      'assistant:A | assistant:C',
    ],
    [
      'a warning behind the paragraph',
      [step, says('A b'), { type: 'warning', message: 'W' }, says('c.\n'), says('\nD'), says('E')],
      'assistant:A bc.\n\n | warning:W | assistant:DE',
    ],
    [
      'a warning behind code, which it does not part',
      [step, says('```\na'), { type: 'warning', message: 'W' }, says('\n\nb\n```\n\nC')],
      'assistant:```\na\n\nb\n```\n\nC',
    ],
    [
      'a warning behind the text where there is one paragraph',
      [step, says('A'), { type: 'warning', message: 'W' }, says('B'), ended('AB'), step, says('C')],
      'assistant:AB | warning:W | assistant:C',
    ],
    ['a warning stays when the step goes', [step, says('A'), { type: 'warning', message: 'W' }, rewind], 'warning:W'],
  ])('%s', (_name, events, notation) => {
    expect(screenNotation(shownAfter(events))).toBe(notation)
  })

  it('F3 a compaction starts a new segment: what was said before it stays, and is not said again', () => {
    const events = [step, says('before'), started, applied(), says('after'), ended('after')]
    expect(screenNotation(shownAfter(events))).toBe('assistant:before | assistant:after')
  })

  it('F3 a rewind reaches back to the compaction and not behind it', () => {
    const events = [step, says('kept'), started, applied(), says('gone'), rewind, says('again')]
    expect(screenNotation(shownAfter(events))).toBe('assistant:kept | assistant:again')
  })

  it('F3 every text that was not withdrawn stands on the screen once, in order', () => {
    const words = fc.array(fc.constantFrom('text', 'think', 'compact', 'rewind', 'step', 'call', 'warn', 'paragraph'), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(words, (kinds) => {
        let kept: string[] = []
        let mark = 0
        const events = kinds.map((kind, at): AgentEvent => {
          if (kind === 'text') kept.push(`t${at};`)
          if (kind === 'paragraph') kept.push('x\n\ny')
          if (kind === 'rewind') kept = kept.slice(0, mark)
          if (kind === 'compact' || kind === 'step') mark = kept.length
          if (kind === 'text') return says(`t${at};`)
          if (kind === 'think') return thinks('h')
          if (kind === 'paragraph') return says('x\n\ny')
          if (kind === 'warn') return { type: 'warning', message: 'W' }
          if (kind === 'compact') return applied()
          return kind === 'rewind' ? rewind : kind === 'step' ? step : call(String(at))
        })
        const { segments } = shownAfter(events)
        const said = segments.map((one) => (one.kind === 'assistant' ? one.text : '')).join('')
        expect(said).toBe(kept.join(''))
      }),
    )
  })
})

describe('compactions', () => {
  it('F2 leave a notice that passes after two seconds, and no line', () => {
    const screen = shownAfter([step, started, applied()], 1_000)
    expect(screen.notice).toEqual({ text: 'Context compacted automatically.', until: 3_000 })
    expect(screen.segments).toEqual([])
  })

  it('F5 by hand stream their summary and leave a line', () => {
    const restart: AgentEvent = { type: 'summary-delta', text: '', restart: true }
    const delta = (text: string): AgentEvent => ({ type: 'summary-delta', text })
    const events = [started, delta('Bad'), restart, delta('Go'), delta('od'), applied('manual')]
    const screen = shownAfter(events)
    expect(screenNotation(screen)).toBe('summary:Good | notice:Context compacted.')
    expect(screen.notice).toBeUndefined()
  })

  it('F2 can be cancelled as long as they run', () => {
    let cancelled = 0
    const own: AgentEvent = {
      ...started,
      cancel: () => {
        cancelled += 1
      },
    } as AgentEvent
    const running = shownAfter([step, own])
    running.work?.compaction?.cancel()
    expect(cancelled).toBe(1)
    for (const end of [applied(), { type: 'compaction-cancelled', id: 'c', reason: 'threshold', attempts: 1 }] as const)
      expect(showEvent(running, end, 0).work).not.toHaveProperty('compaction')
  })

  it('that fail say why', () => {
    const error = new PalimpsestError('effect-failed', 'No summary came.')
    const failed: AgentEvent = { type: 'compaction-failed', id: 'c', reason: 'threshold', attempts: 2, error }
    expect(screenNotation(shownAfter([step, started, failed]))).toBe('warning:Compaction failed: No summary came.')
  })

  it('by hand that find nothing to do are no failure', () => {
    const error = new PalimpsestError('no-progress', 'Nothing could be left out.')
    const failed: AgentEvent = { type: 'compaction-failed', id: 'c', reason: 'manual', attempts: 1, error }
    const screen = shownAfter([step, started, failed])
    expect(screenNotation(screen)).toBe('')
    expect(screen.work).not.toHaveProperty('compaction')
  })

  it('F6 leave a meter that waits', () => {
    const meter = {
      trigger: 5,
      used: { tokens: 4, kind: 'measured' },
      sources: {} as never,
      messages: { inView: 1, all: 1 },
    } as const
    const screen: ReplScreen = { ...emptyScreen, meter }
    const after = showEvent(screen, applied(), 0)
    expect(after.meter?.used).toBe('waiting')
    expect(after.meterEpoch).toBe(1)
  })
})

describe('beside the texts', () => {
  it('a retry stands at the spinner until something comes', () => {
    const retry: AgentEvent = { type: 'retry', attempt: 1, milliseconds: 2_000, message: 'The provider is busy' }
    const waiting = shownAfter([step, retry])
    expect(waiting.work?.retry).toBe('Asked again in 2 s: The provider is busy')
    expect(showEvent(waiting, says('A'), 0).work).not.toHaveProperty('retry')
  })

  it('a call tells what its sub-agent is at, until it is done', () => {
    const inner: AgentEvent = { type: 'sub-agent', id: '1', event: call('x') }
    expect(shownAfter([call('1'), inner]).segments[0]).toMatchObject({ note: 'bash ls' })
    expect(shownAfter([call('1'), inner, result('1')]).segments[0]).not.toHaveProperty('note')
  })

  it('calls without a result are interrupted when the turn is over', () => {
    const [tool] = withNothingRunning(shownAfter([call('1')])).segments
    expect(tool).toMatchObject({ result: { failed: true, brief: 'interrupted' } })
  })
})
