import type { Prepared } from 'palimpsest'
import type { ModelCall } from 'palimpsest/ai-sdk'

/** The newest request of a conversation: what reads its history asks here which entries are its own. */
export class NewestRequest {
  #prepared: Prepared<ModelCall> | undefined

  note(prepared: Prepared<ModelCall>): void {
    this.#prepared = prepared
  }

  /** Tokens of it; 0 before the first one. */
  get tokens(): number {
    return this.#prepared?.size.tokens ?? 0
  }

  /** See `Prepared.own`. */
  readonly own = (position: number): string | undefined => this.#prepared?.own(position)
}
