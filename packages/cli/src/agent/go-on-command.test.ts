import { expect, test } from 'vitest'
import type { AgentFlags } from './agent-flags.ts'
import { goOnCommand } from './go-on-command.ts'

test.each<[AgentFlags, string]>([
  [{}, 'palimpsest --resume s1'],
  [{ store: 'my sessions.db' }, "palimpsest --store 'my sessions.db' --resume s1"],
  [
    { store: 'postgres://me:secret@db/work', namespace: "it's" },
    String.raw`palimpsest --store postgres://me@db/work --namespace 'it'\''s' --resume s1`,
  ],
  [{ cwd: '../other', model: 'openai:gpt-5' }, 'palimpsest --cwd ../other --resume s1'],
])('%j: %s', (flags, command) => {
  expect(goOnCommand('s1', flags)).toBe(command)
})
