import { expect, test } from 'vitest'
import { type LogFormat, proxyLog } from './log-line.ts'

function logged(format: LogFormat, value: string): string {
  let text = ''
  const log = proxyLog(
    format,
    (piece) => {
      text += piece
    },
    { now: () => 0 },
  )
  log({ level: 'info', message: 'compacted', fields: { session: value, evicted: 3, history: undefined } })
  return text
}

test('text: one line, however a value looks', () => {
  expect(logged('text', 'ab/c')).toBe('1970-01-01T00:00:00.000Z info compacted session=ab/c evicted=3\n')
  expect(logged('text', 'a b\nc')).toBe('1970-01-01T00:00:00.000Z info compacted session="a b\\nc" evicted=3\n')
})

test('json: one object', () => {
  const line = { time: '1970-01-01T00:00:00.000Z', level: 'info', message: 'compacted', session: 'a\nb', evicted: 3 }
  expect(JSON.parse(logged('json', 'a\nb'))).toEqual(line)
})

test('off: nothing', () => {
  expect(logged('off', 'a')).toBe('')
})
