import { visibleWidth } from '@mariozechner/pi-tui'
import type { ContextMeter } from '@palimpsest/agent'
import { describe, expect, it } from 'vitest'
import { emptyScreen, type Work } from './repl-screen.ts'
import { replTheme } from './repl-theme.ts'
import { footerLine, meterText, spinnerText, statusLines } from './status-lines.ts'

const theme = replTheme(false)
const turn: Work = { kind: 'turn', since: 0 }
const compaction = { id: 'c', cancel() {} }
const sources = { system: 0, memory: 0, tools: 0, human: 0, model: 0, tool: 0, summary: 0 }
const meter: ContextMeter = {
  window: 200_000,
  trigger: 170_000,
  used: { tokens: 50_000, kind: 'measured' },
  sources,
  messages: { inView: 1, all: 1 },
}

describe('the spinner', () => {
  it.each<[string, Work, number, string]>([
    ['a turn', turn, 12_900, 'Working… 12s'],
    ['a long turn', turn, 3_725_000, 'Working… 62m 05s'],
    ['F2 a compaction by itself', { ...turn, compaction }, 9_000, 'Compacting...'],
    ['F5 one by hand', { ...turn, kind: 'compact' }, 9_000, 'Compacting...'],
    ['a retry', { ...turn, retry: 'Busy\nthere' }, 0, 'Busy there'],
    ['the end', { ...turn, compaction, ending: 'all' }, 0, 'Ending…'],
  ])('%s', (_name, work, at, text) => {
    expect(spinnerText(work, at)).toBe(text)
  })

  it('rests while a command lets choose, or the user is asked', () => {
    const lines = (work: Work, questions = emptyScreen.questions) =>
      statusLines({ ...emptyScreen, work, questions }, { width: 80, theme, at: 0 })
    expect(lines({ ...turn, kind: 'command' })).toEqual([])
    expect(lines(turn, [{ id: 1, request: { tool: 'bash', kind: 'command', target: 'ls' } }])).toEqual([])
    expect(lines(turn)).toHaveLength(2)
  })
})

describe('the meter', () => {
  it.each<[string, ContextMeter | undefined, string]>([
    ['measured', meter, 'context 25% of 200k'],
    ['estimated', { ...meter, used: { tokens: 50_000, kind: 'estimated' } }, 'context ~25% of 200k'],
    ['F6 after a compaction', { ...meter, used: 'waiting' }, 'context –'],
    ['before anything', undefined, 'context –'],
  ])('%s', (_name, given, text) => {
    expect(meterText(given)).toBe(text)
  })

  it('stays where there is no room for the model', () => {
    const footer = (width: number) => footerLine({ model: 'anthropic:a-model-of-a-long-name', meter }, { width, theme })
    expect(footer(80)).toBe('context 25% of 200k · anthropic:a-model-of-a-long-name · /help')
    expect(footer(40)).toBe('context 25% of 200k · /help')
    expect(visibleWidth(footer(10))).toBeLessThanOrEqual(10)
  })
})

describe('the queue', () => {
  it('shows three, and how many more there are, each in a line', () => {
    const queue = ['one\ntwo', '漢字'.repeat(60), '3', '4', '5']
    const lines = statusLines({ ...emptyScreen, queue }, { width: 40, theme, at: 0 })
    expect(lines[1]).toBe('⧗ one two')
    expect(lines[4]).toBe('⧗ and 2 more')
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(40)
  })
})
