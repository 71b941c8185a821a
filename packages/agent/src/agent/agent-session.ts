import { randomBytes } from 'node:crypto'
import { Session, type SessionStore } from '@palimpsest/sessions'
import { aiSdk, PalimpsestError } from 'palimpsest'
import type { AgentMiddleware } from '../loop/middleware.ts'
import { MiddlewareStack } from '../loop/stack.ts'
import { requestFrame, turnRequest } from '../loop/turn-request.ts'
import type { AgentEquipment, AgentSetup } from './agent-setup.ts'

/** The session that an agent works in. */
export type SessionChoice =
  | { readonly kind: 'new'; readonly id: string; readonly title: string | undefined }
  | { readonly kind: 'stored'; readonly id: string }

export function sessionChoice({ resume, session, title, now = Date.now }: AgentSetup): SessionChoice {
  if (resume !== undefined) return { kind: 'stored', id: resume }
  return { kind: 'new', id: session ?? newSessionId(now()), title }
}

/** Sorts by day, and is short enough to be typed. */
export function newSessionId(now: number): string {
  const day = new Date(now).toISOString().slice(0, 10).replaceAll('-', '')
  return `${day}-${randomBytes(4).toString('hex')}`
}

/** What stands in front of a new session's messages. */
interface SessionFrame {
  readonly system: string
  readonly slots: readonly AgentMiddleware[]
}

/** @throws PalimpsestError `not-found`, and `invalid-input` for a session of another wire format. */
export function agentSession(equipment: AgentEquipment, choice: SessionChoice, frame: SessionFrame): Promise<Session> {
  if (choice.kind === 'new') return created(equipment, choice, frame)
  return opened(equipment.sessions, choice.id, equipment.now ?? Date.now)
}

async function created(
  { sessions, config, cwd, model, now = Date.now }: AgentEquipment,
  { id, title }: Extract<SessionChoice, { kind: 'new' }>,
  { system, slots }: SessionFrame,
): Promise<Session> {
  const contributed = await new MiddlewareStack(slots).contributions(new AbortController().signal)
  const { prompt, tools } = turnRequest(requestFrame(system, contributed), [], { settings: {} })
  return Session.create(sessions, id, {
    dialect: aiSdk,
    model: model.name,
    cwd,
    now,
    toolResults: config.toolResults ?? 'full',
    frame: JSON.parse(JSON.stringify({ prompt, tools })),
    ...(title !== undefined && { title }),
  })
}

async function opened(sessions: SessionStore, id: string, now: () => number): Promise<Session> {
  const summary = await sessions.find(id)
  if (summary !== undefined && summary.dialect !== aiSdk.name) {
    throw new PalimpsestError('invalid-input', `Session ${id} was recorded by another client, as ${summary.dialect}.`, {
      hint: 'It can be shown, searched and exported (palimpsest sessions), but not gone on with here.',
    })
  }
  return Session.open(sessions, id, { now })
}
