import { describe, expect, it } from 'vitest'
import { countTests } from './test-counts.mjs'

const test = (status: string) => ({ status })
const file = (status: string, ...tests: { status: string }[]) => ({ status, assertionResults: tests })

describe('counts of a test run', () => {
  it('takes tests one by one', () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [file('failed', test('passed'), test('failed')), file('passed', test('passed'), test('passed'))],
    }
    expect(countTests(report, 1)).toEqual({ passed: 3, failed: 1, skipped: 3 })
  })

  it('takes a file that could not be loaded as one failure', () => {
    const report = {
      numPassedTests: 1,
      numFailedTests: 0,
      testResults: [file('failed'), file('passed', test('passed'))],
    }
    expect(countTests(report, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
  })

  it('never calls a run good that ended badly, said nothing, or ran nothing', () => {
    const good = { numPassedTests: 5, numFailedTests: 0, testResults: [] }
    expect(countTests(good, 0).failed).toBe(0)
    expect(countTests(good, 1).failed).toBe(1)
    expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(countTests({ ...good, numPassedTests: 0 }, 0).failed).toBe(1)
  })
})
