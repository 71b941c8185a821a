import { type Fields, fieldsOf, isFields, textOf } from '../json-fields.ts'
import { isEvent } from './openhands-event.ts'

/** One run: its events in order, and what the file says of it. */
export interface OpenHandsRun {
  readonly events: readonly unknown[]
  readonly id: string | undefined
  readonly model: string | undefined
}

/** A whole run: a list of events, or a document that has one. */
export function isRun(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsEvent)
  if (!isFields(value)) return false
  const events = eventsIn(value)
  return events?.some(holdsEvent) === true || (events?.length === 0 && 'instance_id' in value && 'metadata' in value)
}

/** The run of a document that `isRun` takes. */
export function runOf(value: unknown): OpenHandsRun {
  const file = fieldsOf(value)
  const listed = Array.isArray(value) ? (value as readonly unknown[]) : (eventsIn(file) ?? [])
  return {
    // The oldest form pairs each action with its observation.
    events: listed.flatMap((event) => (isPair(event) ? event : [event])),
    id: textOf(file.instance_id) ?? textOf(file.id),
    model: textOf(fieldsOf(fieldsOf(file.metadata).llm_config).model),
  }
}

function isPair(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0
}

/** Results of evaluations call them the history, downloads the trajectory. */
function eventsIn({ history, trajectory }: Fields): readonly unknown[] | undefined {
  if (Array.isArray(history)) return history
  return Array.isArray(trajectory) ? trajectory : undefined
}

function holdsEvent(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some((event) => isFields(event) && isEvent(event))
    : isFields(value) && isEvent(value)
}
