/** The APIs that the simulator speaks. */
export type FormatName =
  | 'anthropic-messages'
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-codex'
  | 'gemini'
  | 'bedrock-converse'

/** What a request asks for. */
export interface Call {
  readonly kind: 'generate' | 'count' | 'models'
  /** Is the answer a stream? */
  readonly stream: boolean
  readonly model: string
}

/** Options of the rules that differ between models of one API. */
export interface LabRules {
  /** How signed thinking is tied to what stands before it. Default `turn`. */
  readonly thinkingBinding: 'none' | 'turn' | 'prefix'
  /** Must user and assistant alternate, as strict chat templates demand? Default false. */
  readonly strictAlternation: boolean
  /** May a `system` message stand among the messages (newer Anthropic models)? Default true. */
  readonly systemInMessages: boolean
}

/** One run of a prompt, in the order in which the model reads it: tools, system, messages. */
export interface PromptBlock {
  readonly text: string
  /** Tokens of what is not text (a picture), or of an item whose size is not that of its text. */
  readonly tokens?: number
  /** A cache breakpoint that the caller put behind this block, with its time to live. */
  readonly cacheSeconds?: number
}

/** What the simulated model answers. */
export interface Reply {
  readonly parts: readonly ReplyPart[]
  /** Default: `tool-call` where a part is one, else `stop`. `context-window`: the answer ran into the window. */
  readonly finish?: 'stop' | 'tool-call' | 'length' | 'refusal' | 'context-window'
}

/** One piece of an answer; `input` is the call’s arguments. */
export type ReplyPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string; readonly signature?: string }
  | { readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly input: object }

/** Tokens of one answered call. `input` is the whole prompt, cached or not. */
export interface LabUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** What an answer tells beside its parts. */
export interface ReplyContext {
  /** Unique and repeatable: from the number of the call. */
  readonly id: string
  readonly model: string
  readonly usage: LabUsage
  /** The request body, for what the answer echoes or depends on (`stream_options`). */
  readonly body: unknown
}

/** Why a call is refused. */
export type Refusal =
  /** A broken rule, in the provider's own kind of words. */
  | { readonly kind: 'invalid'; readonly message: string; readonly rule: string }
  | {
      readonly kind: 'overflow'
      readonly tokens: number
      readonly window: number
      readonly output: number
    }
  | { readonly kind: 'rate-limit'; readonly body: boolean }
  | { readonly kind: 'too-many-bytes'; readonly html: boolean }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'reasoning-bound' }
  | { readonly kind: 'not-found'; readonly path: string }

/** An answer as it goes onto the wire. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One piece of a streamed answer, as it goes onto the wire. */
export interface StreamPiece {
  readonly bytes: Uint8Array
  /** Is this the first content (text, reasoning, call), or after it? Faults before and after it are told apart. */
  readonly content: boolean
}

/**
 * One provider's HTTP API as the simulator speaks it. Pure: the server around it owns state, time and sockets. Its rules
 * are read from the provider's documentation anew, never taken from the library's dialects: where the two disagree, one
 * of them is wrong.
 */
export interface WireFormat {
  readonly name: FormatName
  /** What a request to this path is; undefined: none of this API's. `query` without the question mark. */
  route(method: string, path: string, query: URLSearchParams, body: unknown): Call | undefined
  /** The first rule that the body breaks; undefined: valid. `call`: what the path says (some APIs name the model there). */
  validate(body: unknown, rules: LabRules, call: Call): { readonly rule: string; readonly message: string } | undefined
  /** What is counted and cached, in the order in which the model reads it. */
  prompt(body: unknown): readonly PromptBlock[]
  /** Output tokens that the body asks for. */
  outputCap(body: unknown): number | undefined
  /** A refusal as this API words it. */
  refusal(refusal: Refusal): HttpAnswer
  /** The whole answer, as JSON. */
  reply(reply: Reply, context: ReplyContext): unknown
  /** The same answer as a stream, ended properly. */
  stream(reply: Reply, context: ReplyContext): readonly StreamPiece[]
  /** A failure in the middle of a stream, as this API reports one. */
  streamFailure(refusal: Refusal): StreamPiece
  /** The content type of a stream. */
  readonly streamType: string
  /** The answer to a count call. */
  count?(tokens: number): unknown
  /**
   * Does this API refuse a request whose input fits, but not together with its output cap? Default: no. Formats that say
   * yes word the refusal from `tokens`, `output` and `window` of an overflow.
   */
  readonly sumsOutput?: boolean
  /** Is the prompt cache kept at marks of the caller, or by the provider itself? Default `automatic`. */
  readonly caches?: 'marks' | 'automatic'
}
