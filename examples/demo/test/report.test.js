import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duesOf } from '../src/dues.js'
import { readJournal } from '../src/read-journal.js'
import { report, totals } from '../src/report.js'

const JOURNAL = `# day,ship,metres,nights,taken
2026-04-02,Seeschwalbe,11.4,2,8.29
2026-07-14,Kormoran,16,1,0
2026-07-20,Seeschwalbe,11.4,8,1.15
`

test('metres are charged as begun, by season', () => {
  assert.equal(duesOf({ day: '2026-04-02', metres: 11.4, nights: 2 }), 12 * 140 * 2)
  assert.equal(duesOf({ day: '2026-12-24', metres: 8, nights: 1 }), 8 * 95)
})

test('long ships pay half as much again, and long stays cost less', () => {
  assert.equal(duesOf({ day: '2026-07-14', metres: 16, nights: 1 }), 16 * 210 * 1.5)
  assert.equal(duesOf({ day: '2026-07-20', metres: 11.4, nights: 8 }), 12 * 210 * 6 + 12 * 210)
})

test('a ship owes its dues and what it took', () => {
  const [first] = totals(readJournal(JOURNAL))
  assert.deepEqual(first, { ship: 'Seeschwalbe', visits: 2, nights: 10, dues: 21000, taken: 944, sum: 21944 })
})

test('the report has a line for each ship, and the sum', () => {
  const lines = report(readJournal(JOURNAL)).split('\n')
  assert.match(lines[1], /^Seeschwalbe +2 +10 +210\.00 +9\.44 +219\.44$/)
  assert.match(lines[3], /269\.84$/)
})

test('a line that cannot be read is named', () => {
  assert.throws(() => readJournal('2026-04-02,Kormoran,16,1'), /line 1: 5 fields/)
  assert.throws(() => readJournal('\n2026-04-02,Kormoran,16,1,8.291'), /line 2: "8.291" is no amount/)
})
