import type { SessionStore, SessionSummary } from '@palimpsest/sessions'
import { virtualFiles } from 'palimpsest'
import { skillFolders } from '../memory/skills.ts'
import type { NewestRequest } from '../middleware/newest-request.ts'
import type { AgentTool } from '../tools/agent-tool.ts'
import { historyTools } from '../tools/history-tools.ts'
import { todoTool } from '../tools/todo-tool.ts'
import { workspaceTools } from '../tools/workspace-tools.ts'
import type { SessionChoice } from './agent-session.ts'
import type { AgentEquipment } from './agent-setup.ts'
import { memoryPlaces } from './memory-places.ts'

/** What the tools know of the conversation that calls them. */
export interface CallingConversation {
  readonly choice: SessionChoice
  readonly newest: NewestRequest
  /** May the model have it compacted now? */
  readonly mayCompact: () => boolean
}

/** The tools of an agent, but `task`. */
export async function agentTools(
  equipment: AgentEquipment,
  { choice, newest, mayCompact }: CallingConversation,
): Promise<readonly AgentTool[]> {
  const { cwd, config, env, stores, namespace, sessions } = equipment
  const { own } = newest
  // what a fork's origin evicted lies under the name of that
  const origins = choice.kind === 'new' ? [] : await originsOf(choice.id, sessions)
  const history = virtualFiles(stores, { namespace, session: choice.id, sessions: origins, own })
  const readable = await skillFolders(memoryPlaces(equipment))
  const { commandSeconds } = config
  return [
    ...workspaceTools({ root: cwd, readable, history, env, ...(commandSeconds !== undefined && { commandSeconds }) }),
    todoTool(),
    ...historyTools({ stores, namespace, session: choice.id, own: () => own, mayCompact }),
  ]
}

/** Forks of forks: no more of them than anybody makes. */
const MOST_ORIGINS = 20

async function originsOf(id: string, sessions: SessionStore): Promise<readonly string[]> {
  const origins: string[] = []
  for (let at: string | undefined = id; at !== undefined && origins.length < MOST_ORIGINS; ) {
    const summary: SessionSummary | undefined = await sessions.find(at)
    at = summary?.forked?.from
    if (at !== undefined) origins.push(at)
  }
  return origins
}
