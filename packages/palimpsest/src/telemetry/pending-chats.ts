import type { Span } from '@opentelemetry/api'

/** Sessions that are remembered: one may never call a model again. */
const MOST = 1_000

/** Conversations that were compacted, and whose next chat span has not been seen yet. */
export class PendingChats {
  readonly #turns = new Map<string, Span | undefined>()

  /** Is there any? */
  get any(): boolean {
    return this.#turns.size > 0
  }

  add(session: string, turn: Span | undefined): void {
    this.#turns.delete(session)
    this.#turns.set(session, turn)
    const [oldest] = this.#turns.keys()
    if (this.#turns.size > MOST && oldest !== undefined) this.#turns.delete(oldest)
  }

  /** Is this the next chat of the session, or of a conversation that was compacted in this turn? Told once. */
  take({ session, turn }: { readonly session?: string | undefined; readonly turn?: Span | undefined }): boolean {
    if (this.#turns.size === 0) return false
    if (session !== undefined && this.#turns.delete(session)) return true
    const found = turn === undefined ? undefined : [...this.#turns].find(([, one]) => one === turn)
    return found !== undefined && this.#turns.delete(found[0])
  }
}
