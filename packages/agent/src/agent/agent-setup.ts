import type { SessionStore } from '@palimpsest/sessions'
import type { CompactorEvent, Stores } from 'palimpsest'
import type { AgentConfig } from '../config/agent-config.ts'
import type { AgentEventListener } from '../loop/agent-event.ts'
import type { SlotName } from '../loop/middleware.ts'
import type { AgentModel, OpenModel } from '../models/agent-model.ts'
import type { AskPermission } from '../tools/permissions.ts'

/** What an agent works with, whatever session it works in. */
export interface AgentEquipment {
  /** The workspace: its tools do not leave it. */
  readonly cwd: string
  readonly home: string
  /** Variables of the user; commands get them without keys. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: AgentConfig
  readonly model: AgentModel
  readonly openModel: OpenModel
  readonly sessions: SessionStore
  /** Where compactions, histories and artifacts are kept. */
  readonly stores: Stores
  /** Whose conversations these are. */
  readonly namespace: string
  /** Asks the person before something is written or run. Absent: nobody can be asked, and only what is allowed happens. */
  readonly ask?: AskPermission
  readonly onEvent?: AgentEventListener
  /** Takes the events of the compactors as they come, those of sub-agents too: for telemetry. */
  readonly onCompactorEvent?: (event: CompactorEvent) => void
  /** Slots to leave out. Without `summarisation` nothing is compacted, whatever the window. */
  readonly without?: readonly SlotName[]
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** The session that an agent is to work in: a new one, perhaps with an id and a title that are given, or a stored one. */
export type WantedSession =
  | { readonly session?: string; readonly title?: string; readonly resume?: never }
  | { readonly resume: string; readonly session?: never; readonly title?: never }

/** What an agent is started with. */
export type AgentSetup = AgentEquipment & WantedSession
