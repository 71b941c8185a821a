import type { SessionSummary } from '@palimpsest/sessions'
import { expect, it } from 'vitest'
import { sessionTable } from './list.ts'

const session: SessionSummary = {
  id: '79e4ea53-2b6a-406d-af4a-1c4320c37d8a',
  dialect: 'anthropic-messages',
  toolResults: 'full',
  createdAt: 0,
  updatedAt: Date.UTC(2026, 1, 3, 10, 17),
  entries: 1,
  messages: 1_270,
  compactions: 2,
}

it('gives the title what is left of the line, and a place of its own to what is not known', () => {
  const known = {
    ...session,
    id: '88',
    model: 'gpt-5',
    title: 'A title\nof two lines '.repeat(9),
    lastInputTokens: 168_250,
  }
  const [titles, first, second] = sessionTable([session, known], 100).split('\n')
  expect(titles).toBe('id        last entry (UTC)  messages  input  compactions  model  title')
  expect(first).toBe('79e4ea53  2026-02-03 10:17     1,270      -            2  -      -')
  expect(second).toMatch(
    /^88 {8}2026-02-03 10:17 {5}1,270 {3}168k {12}2 {2}gpt-5 {2}A title of two lines A title of.*…$/,
  )
  expect(second).toHaveLength(100)
  expect(sessionTable([known], 20).split('\n')[1]).toMatch(/A title of two line…$/)
})
