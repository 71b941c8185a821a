import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chart, terminalChart } from './terminal-chart.ts'

const plain = { width: 37, height: 4, color: false }

describe('a chart of size over time', () => {
  it('shows growth, the trigger, the window, and where a compaction brought it down', () => {
    const chart: Chart = { values: [20, 40, 60, 80, 30, 50], marks: [4], trigger: 80, window: 100 }
    expect(terminalChart(chart, plain)).toBe(
      [
        '  100 ┤───────────────▂▂▂▂▂──────────',
        '   50 ┤          ▃▃▃▃▃█████          ',
        '      ┤     ▅▅▅▅▅██████████▂▂▂▂▂█████',
        '      ┤▆▆▆▆▆█████████████████████████',
        '    0 └────────────────────▲─────────',
        '       6 steps   ▲ compaction',
      ].join('\n'),
    )
  })

  it('shows above its bar what a step would have been', () => {
    const chart: Chart = { values: [20, 40], marks: [1], jumps: [{ step: 1, value: 100 }], window: 100 }
    expect(terminalChart(chart, plain)).toBe(
      [
        '  100 ┤───────────────░──────────────',
        '   50 ┤               ░              ',
        '      ┤               ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅',
        '      ┤▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆███████████████',
        '    0 └───────────────▲──────────────',
        '       2 steps   ▲ compaction',
      ].join('\n'),
    )
    expect(terminalChart({ values: [1], marks: [] }, plain)).toMatch(/ 1 step$/)
  })

  it('never loses a peak, however many steps share a column', () => {
    const values = Array.from({ length: 5_000 }, (_, step) => (step === 3_210 ? 100 : 10))
    const [first] = terminalChart({ values, marks: [] }, plain).split('\n')
    expect(first?.match(/█/g)).toHaveLength(1)
  })

  it('stays within its width and uses no colour unless asked, whatever the numbers', () => {
    const charts = fc.record({
      values: fc.array(fc.nat(2_000_000), { minLength: 1, maxLength: 400 }),
      marks: fc.array(fc.nat(399), { maxLength: 5 }),
      jumps: fc.array(fc.record({ step: fc.nat(399), value: fc.nat(2_000_000) }), { maxLength: 5 }),
      trigger: fc.nat(1_000_000),
      window: fc.nat(2_000_000),
    })
    fc.assert(
      fc.property(charts, fc.integer({ min: 0, max: 200 }), fc.boolean(), (chart, width, color) => {
        const text = terminalChart(chart, { width, color })
        const bare = withoutColour(text)
        if (!color) expect(bare).toBe(text)
        expect(bare.split('\n')).toHaveLength(12)
        for (const line of bare.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.max(30, width))
        expect(withoutColour(terminalChart(chart, { width, color: !color }))).toBe(bare)
      }),
      { numRuns: 1000 },
    )
  })

  it('says so when there is nothing to show, and draws zeros as nothing', () => {
    expect(terminalChart({ values: [], marks: [] }, plain)).toBe('(no steps)')
    expect(terminalChart({ values: [0, 0], marks: [] }, plain)).not.toMatch(/[▁▂▃▄▅▆▇█]/)
  })
})

function withoutColour(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes open with it
  return text.replace(/\u001b\[\d+m/g, '')
}
