import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAmount, parseAmount } from '../src/money.js'

test('amounts are whole cents', () => {
  assert.equal(parseAmount('12'), 1200)
  assert.equal(parseAmount('12.5'), 1250)
  assert.equal(parseAmount('8.25'), 825)
})

test('no cent is lost', () => {
  assert.equal(parseAmount('8.29'), 829)
  assert.equal(parseAmount('1.15'), 115)
  assert.equal(parseAmount('-0.29'), -29)
})

test('what is no amount is told', () => {
  for (const text of ['', '8,29', '1.234', 'eight']) assert.throws(() => parseAmount(text), /is no amount/)
})

test('amounts are shown with two digits', () => {
  assert.equal(formatAmount(829), '8.29')
  assert.equal(formatAmount(-5), '-0.05')
})
