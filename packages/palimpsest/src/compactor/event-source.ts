import type { CompactorEvent } from './events.ts'

type WithoutBase<Event> = Event extends unknown ? Omit<Event, 'id' | 'session' | 'model' | 'upstream'> : never

/** An event without what is the same for all events of one thing. */
export type EventDraft = WithoutBase<CompactorEvent>

/** The call that events are about. */
export interface EventSubject {
  readonly model: string | undefined
  readonly upstream: string | undefined
}

/** Gives events their ids and hands them on. A listener that throws harms nobody else. */
export class EventSource {
  readonly #listener: ((event: CompactorEvent) => void) | undefined
  #count = 0

  constructor(listener: ((event: CompactorEvent) => void) | undefined) {
    this.#listener = listener
  }

  /** Sends events of one thing: they share an id. */
  of(session: string, { model, upstream }: EventSubject): (event: EventDraft) => void {
    this.#count++
    const base = {
      id: `${session}/${this.#count}`,
      session,
      ...(model !== undefined && { model }),
      ...(upstream !== undefined && { upstream }),
    }
    return (event) => {
      try {
        this.#listener?.({ ...event, ...base } as CompactorEvent)
      } catch {
        // a listener's own fault is not the conversation's
      }
    }
  }
}
