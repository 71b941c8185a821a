import { PalimpsestError } from 'palimpsest'
import { expect, it } from 'vitest'
import { reportError, usageError } from './error-report.ts'
import { recordingTerminal } from './recording-terminal.test-data.ts'

it('says what was wrong and what would work, one line each', () => {
  const terminal = recordingTerminal()
  const error = new PalimpsestError('cannot-fit', 'system and tools alone are 70k\n  of 64k', {
    hint: 'use a larger window',
  })
  expect(reportError(error, terminal)).toBe(3)
  expect(terminal.said).toEqual(['error: system and tools alone are 70k of 64k', 'hint: use a larger window'])
  expect(terminal.written).toBe('')
})

it('tells bad usage, wrong things and things that cannot fit apart', () => {
  const codes = (
    ['invalid-input', 'plan-mismatch', 'invalid-transcript', 'effect-failed', 'context-overflow'] as const
  ).map((code) => reportError(new PalimpsestError(code, 'x'), recordingTerminal()))
  expect(codes).toEqual([2, 1, 1, 2, 3])
  expect(reportError(usageError('no FILE'), recordingTerminal())).toBe(2)
})

it('asks for a report when the fault is ours, with the place but no more than that', () => {
  const terminal = recordingTerminal()
  expect(reportError(new RangeError('position 7 of 6'), terminal)).toBe(70)
  expect(terminal.said[0]).toBe('internal error: RangeError: position 7 of 6')
  expect(terminal.said[1]).toMatch(/please report/)
  expect(terminal.said[2]).toMatch(/^\s+at .*error-report\.test\.ts/)
  expect(reportError('thrown text', recordingTerminal())).toBe(70)
})
