import type { ExportedSession } from './exported-session.ts'
import { isoTime, sessionUuid } from './session-steps.ts'

/**
 * Where the client looks for the session when it is to go on with it: a path below the user's home, with `/`. Undefined for
 * a session whose working folder is not known: both clients keep sessions by folder.
 *
 * @example clientFile(session, 'claude-code') // .claude/projects/-project/11111111-2222-4333-8444-555555555555.jsonl
 */
export function clientFile(session: ExportedSession, format: 'claude-code' | 'pi'): string | undefined {
  const { cwd, createdAt } = session
  if (cwd === undefined) return undefined
  const uuid = sessionUuid(session)
  if (format === 'claude-code') return `.claude/projects/${cwd.replace(/[^a-zA-Z0-9]/g, '-')}/${uuid}.jsonl`
  const folder = cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')
  return `.pi/agent/sessions/--${folder}--/${isoTime(createdAt).replace(/[:.]/g, '-')}_${uuid}.jsonl`
}
