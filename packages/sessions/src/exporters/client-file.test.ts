import { expect, test } from 'vitest'
import { clientFile } from './client-file.ts'
import { TEN_MESSAGES } from './session-files.test-data.ts'

test('a session file stands where its client looks, by folder and id', () => {
  const session = { ...TEN_MESSAGES, cwd: '/Users/me/a project/app.v2' }
  expect(clientFile(session, 'claude-code')).toBe(
    '.claude/projects/-Users-me-a-project-app-v2/11111111-2222-4333-8444-555555555555.jsonl',
  )
  expect(clientFile(session, 'pi')).toBe(
    '.pi/agent/sessions/--Users-me-a project-app.v2--/2026-01-01T00-00-00-000Z_11111111-2222-4333-8444-555555555555.jsonl',
  )
})

test('an id that is no UUID becomes one, the same every time; without a folder there is no place', () => {
  const { cwd, ...session } = { ...TEN_MESSAGES, id: 'mine' }
  expect(clientFile({ ...session, cwd: '/p' }, 'claude-code')).toMatch(/^\.claude\/projects\/-p\/[0-9a-f-]{36}\.jsonl$/)
  expect(clientFile({ ...session, cwd: '/p' }, 'pi')).toBe(clientFile({ ...session, cwd: '/p' }, 'pi'))
  expect(clientFile(session, 'pi')).toBeUndefined()
})
