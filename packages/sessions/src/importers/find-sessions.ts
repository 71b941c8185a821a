import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SessionFormat } from './imported-session.ts'

/** A session file on this computer. */
export interface FoundSession {
  readonly path: string
  readonly client: Exclude<SessionFormat, 'request'>
  /** Milliseconds since the epoch. */
  readonly modified: number
  readonly bytes: number
}

/**
 * The session files of Claude Code, Codex and pi below a home folder, newest first. `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and
 * `PI_CODING_AGENT_DIR` name other places. Logs of subagents are left out. Folders that cannot be read are passed over;
 * never throws.
 */
export async function findSessions(
  home: string = homedir(),
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<FoundSession[]> {
  const found = await Promise.all(placesOf(home, environment).map(sessionsIn))
  return found.flat().sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1))
}

interface Place {
  readonly client: FoundSession['client']
  readonly folder: string
  /** Folders between this one and the files. */
  readonly depth: number
  readonly isSession: (name: string) => boolean
}

function placesOf(home: string, environment: Readonly<Record<string, string | undefined>>): Place[] {
  const claude = environment.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const codex = environment.CODEX_HOME || join(home, '.codex')
  const pi = environment.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')
  const isRollout = (name: string) => name.startsWith('rollout-')
  return [
    {
      client: 'claude-code',
      folder: join(claude, 'projects'),
      depth: 1,
      isSession: (name) => !name.startsWith('agent-'),
    },
    { client: 'codex', folder: join(codex, 'sessions'), depth: 3, isSession: isRollout },
    { client: 'codex', folder: join(codex, 'archived_sessions'), depth: 3, isSession: isRollout },
    { client: 'pi', folder: join(pi, 'sessions'), depth: 1, isSession: () => true },
  ]
}

async function sessionsIn({ client, folder, depth, isSession }: Place): Promise<FoundSession[]> {
  const paths = await filesBelow(folder, depth)
  const sessions = await Promise.all(
    paths.filter(({ name }) => name.endsWith('.jsonl') && isSession(name)).map(({ path }) => sessionAt(path, client)),
  )
  return sessions.filter((session) => session !== undefined)
}

async function filesBelow(folder: string, depth: number): Promise<{ readonly name: string; readonly path: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth > 0 ? filesBelow(path, depth - 1) : []
      return [{ name: entry.name, path }]
    }),
  )
  return found.flat()
}

/** A file can vanish between the listing and the look at it. */
async function sessionAt(path: string, client: FoundSession['client']): Promise<FoundSession | undefined> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return undefined
  return { path, client, modified: facts.mtimeMs, bytes: facts.size }
}
