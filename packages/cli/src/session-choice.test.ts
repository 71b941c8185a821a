import type { FoundSession } from '@palimpsest/sessions'
import { expect, it } from 'vitest'
import { newestOfEachClient } from './session-choice.ts'

it.each([
  ['no client is missed', 'c5 c4 c3 x2 p1', 'c5 x2 p1'],
  ['places that are left go to the newest', 'c5 c4 c3 x2', 'c5 x2 c4'],
  ['one client fills them all', 'c5 c4 c3 c2', 'c5 c4 c3'],
  ['nothing is invented', '', ''],
])('of sessions, newest first: %s', (_name, found, chosen) => {
  expect(
    newestOfEachClient(sessions(found))
      .map(({ path }) => path)
      .join(' '),
  ).toBe(chosen)
})

function sessions(paths: string): FoundSession[] {
  const clients = { c: 'claude-code', x: 'codex', p: 'pi' } as const
  return paths
    .split(' ')
    .filter((path) => path !== '')
    .map((path) => ({
      path,
      client: clients[path.charAt(0) as keyof typeof clients],
      modified: Number(path.slice(1)),
      bytes: 1,
    }))
}
