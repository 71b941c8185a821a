import { parseAmount } from './money.js'

/**
 * The visits of a journal, in order. Empty lines and lines that begin with # are passed over.
 * Throws an error that names the line for one that cannot be read.
 */
export function readJournal(text) {
  return text
    .split('\n')
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => readVisit(line, number))
}

function readVisit(line, number) {
  const fields = line.split(',').map((field) => field.trim())
  if (fields.length !== 5) throw new Error(`line ${number}: 5 fields are wanted, not ${fields.length}`)
  const [day, ship, length, nights, taken] = fields
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Error(`line ${number}: "${day}" is no day: 2026-04-02`)
  if (!(Number(length) > 0)) throw new Error(`line ${number}: "${length}" is no length in metres`)
  if (!/^\d+$/.test(nights)) throw new Error(`line ${number}: "${nights}" is no number of nights`)
  return { day, ship, metres: Number(length), nights: Number(nights), taken: amountOf(taken, number) }
}

function amountOf(text, number) {
  try {
    return parseAmount(text)
  } catch (error) {
    throw new Error(`line ${number}: ${error.message}`)
  }
}
