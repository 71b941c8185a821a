import type { Conversation, Lens } from '../engine/messages/message.ts'
import type { CacheBreakpoints } from './cache-breakpoints.ts'

export type { CacheBreakpoints } from './cache-breakpoints.ts'

/** Tokens that one response reports, normalised: `input` is the whole prompt, whatever part of it a cache served. */
export interface Usage {
  /** Prompt tokens in all: uncached + cache read + cache write. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** What an overflow answer tells. */
export interface OverflowFacts {
  /** `tokens`: input too large. `output`: input fits, input + output cap does not. `bytes`: body too large. `silent`: cut without an error. */
  readonly kind: 'tokens' | 'output' | 'bytes' | 'rate-bucket' | 'silent' | 'reasoning-bound'
  /** The limit that the provider stated, in tokens (bytes for `bytes`). */
  readonly limit?: number
  /** The size that the provider counted. */
  readonly size?: number
  /** The provider's own words, shortened; never a request body, never a key. */
  readonly detail: string
}

/** What is known about the refused request when an answer is judged. */
export interface OverflowContext {
  /** Estimated tokens of the request that was sent. */
  readonly size: number
  readonly window: number
}

/** Reads the events of one streamed answer, in order: what the whole answer would tell, as soon as it is known. Never throws. */
export interface StreamReader {
  /** Takes the next event: parsed JSON, a part of the AI SDK, or the text of an event that is no JSON (`[DONE]`). */
  push(event: unknown): void
  /** Has the model said anything: text, reasoning, a call? Pings, envelopes and empty openings are nothing. */
  readonly started: boolean
  /** Did the answer come to its own end? Usage may still follow. An error, or a connection that breaks off, is no end. */
  readonly finished: boolean
  /** The first error event; undefined where there is none. Whether it means overflow tells `overflow`. */
  readonly failure: unknown
  /** Usage so far, of all events together. */
  usage(): Usage | undefined
  /** Do the events so far mean that the input was cut or did not fit: by an error, a finish reason, or usage? */
  overflow(context: OverflowContext): OverflowFacts | undefined
}

/**
 * Reads and edits the native items of one wire format. `Request` is the whole request body. Every method is pure;
 * nothing passed in is mutated, what it does not know it does not touch.
 */
export interface Dialect<Request = unknown, Item = unknown> extends Lens<Item> {
  /** Where the items stand in the request body: `messages`, `input` or `contents`. */
  readonly itemsKey: string
  /** Bytes that a request body may have, where the format has such a limit. */
  readonly maxBytes?: number
  /** Is this parsed JSON a request of this format? Used to detect formats: 0 no, higher is surer. */
  recognises(body: unknown): number
  /** Takes a request apart. Its items are the request’s own objects. */
  open(request: Request): Conversation<Item>
  /**
   * The request with the items of `view`; shares structure, unknown fields survive, and nothing changed is the same object.
   * An output cap is lowered where the view has a smaller one, never raised or added. Pointers to a history at the provider
   * leave only where the view says `historyOnServer: false`: then it is the whole of it.
   */
  close(request: Request, view: Conversation<Item>): Request
  /** Marks cache breakpoints in free slots; the caller's own marks stay. Unchanged where the format has no marks. */
  markCache(view: Conversation<Item>, at: CacheBreakpoints): Conversation<Item>
  /** Usage of a response or stream event, if it carries any. */
  usage(response: unknown): Usage | undefined
  /** Is this failure a context overflow? Errors of any SDK, bodies, nested causes. */
  overflow(failure: unknown, context: OverflowContext): OverflowFacts | undefined
  /** Does this answer, though no error, mean that the input was cut or did not fit? */
  outcome(response: unknown, context: OverflowContext): 'ok' | OverflowFacts
  /** A reader of one streamed answer. */
  reader(): StreamReader
  /** Tokens this format's providers add that are in no item: per message, per tool, once. */
  readonly framing: {
    readonly request: number
    readonly message: number
    readonly tools: number
    readonly tool: number
  }
  /** Tokens of one image or document, by the provider's published formula. */
  mediaTokens(media: { kind: string; width?: number; height?: number; pages?: number; bytes: number }): number
}
