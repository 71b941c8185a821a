import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommand, exampleSession, palimpsest, scratchFolder } from '../../built-command.test-data.ts'

const scratch = scratchFolder()
beforeAll(buildCommand)
afterAll(scratch.remove)

it('names of sessions and stores steer no terminal, whatever they hold', () => {
  const store = join(scratch.path, 'hostile.db')
  const name = '\u001b[31mred\u0007'
  const sessions = (...words: readonly string[]) => palimpsest(['sessions', ...words, '--store', store])
  const all = [
    sessions('import', exampleSession, '--id', name),
    sessions('import', exampleSession, '--id', `${name}2`),
    sessions('list'),
    sessions('show', name, '--to', '1'),
    sessions('show', '\u001b[31mre'),
    sessions('show', '\u001b[31mblue'),
    sessions('verify'),
    sessions('rm', name),
    sessions('rm', name, '--yes'),
    palimpsest(['sessions', 'list', '--store', '\u001b[31mred.db']),
  ]
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 2, 2, 0, 2, 0, 2])
  for (const { out, err } of all) expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})

it('an empty name is none', () => {
  const store = join(scratch.path, 'empty.db')
  const { code, err } = palimpsest(['sessions', 'import', exampleSession, '--id', '', '--store', store])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--id names no session') })
})
