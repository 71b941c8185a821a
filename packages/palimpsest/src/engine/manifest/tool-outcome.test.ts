import { describe, expect, it } from 'vitest'
import { bodyOf, readOutcome } from './tool-outcome.ts'

describe('the outcome of a call', () => {
  it.each([
    ['Claude Code', 'Exit code 1\nboom'],
    ['Codex', 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nboom'],
    ['Codex, older', '{"output":"boom","metadata":{"exit_code":1,"duration_seconds":0}}'],
    ['pi', 'boom\n\nCommand exited with code 1'],
    ['Gemini CLI', '{"output":"Exit code: 1\\nboom"}'],
  ])('reads the exit code of %s', (_, text) => {
    expect(readOutcome(text, undefined, 'run')).toMatchObject({ exitCode: 1, failed: true })
  })

  it('is a success without a mark or a code, and a failure with the mark alone', () => {
    expect(readOutcome('all good', undefined, 'run')).toMatchObject({ failed: false, errors: [] })
    expect(readOutcome('<tool_use_error>File does not exist.</tool_use_error>', true, 'read')).toMatchObject({
      failed: true,
      errors: ['File does not exist.'],
    })
  })

  it('takes words about errors in a file that was read for none', () => {
    expect(readOutcome('throw new Error("failed")\nerror: x', undefined, 'read').errors).toEqual([])
  })

  it('keeps the ids that a command gave out', () => {
    expect(readOutcome('[main abc1234] wip\nhttps://x.test/pull/9', undefined, 'run').ids).toEqual([
      'abc1234',
      'https://x.test/pull/9',
    ])
  })

  it('counts lines, without one for a line end at the end', () => {
    expect(readOutcome('', undefined, 'run').lines).toBe(0)
    expect(readOutcome('a\nb\n', undefined, 'run').lines).toBe(2)
  })

  it('leaves a broken envelope as it is', () => {
    expect(bodyOf('{"output":"x')).toBe('{"output":"x')
    expect(bodyOf('{"output":"x"}')).toBe('x')
  })
})
