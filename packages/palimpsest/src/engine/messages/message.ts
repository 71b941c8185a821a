/** Who speaks. `tool` marks an item that carries nothing but tool results, whatever role name its wire format uses. */
export type Role = 'system' | 'user' | 'assistant' | 'tool'

/** What a part is. `opaque` is everything a dialect does not know or must never edit: it is counted, kept and moved whole. */
export type PartKind =
  | 'text'
  | 'reasoning'
  | 'tool-call'
  | 'tool-result'
  | 'image'
  | 'document'
  | 'approval-request'
  | 'approval-response'
  | 'opaque'

/** A picture or file inside a part. Sizes are what the item itself tells: nothing is decoded beyond an image header. */
export interface Media {
  readonly kind: 'image' | 'document' | 'audio' | 'video'
  /** Pixels, where the item or its image header says so. */
  readonly width?: number
  readonly height?: number
  /** Pages of a document, where known. */
  readonly pages?: number
  /** Bytes of the payload on the wire (base64 characters for inline data, 0 for a reference). */
  readonly bytes: number
}

/**
 * One part of a native item, read through a dialect's lens. Part numbers are places in `MessageView.parts`; a dialect
 * gives the same item the same parts in the same order every time.
 */
export interface PartView {
  readonly kind: PartKind
  /** Pairs a call with its result. Absent where the wire format has none (Gemini without ids): then order and name pair them. */
  readonly callId?: string
  readonly toolName?: string
  /** A result that reports a failure, where the format marks it. */
  readonly isError?: boolean
  /**
   * The text the model reads: a call's arguments as JSON text, a result's text blocks joined by a newline.
   * Empty for media and for parts without text. Inline base64 of an image is not text; base64 inside a text block is.
   */
  text(): string
  /** Media in this part (an image part has one; a tool result may hold several). */
  readonly media?: readonly Media[]
  /** UTF-8 bytes of the part's JSON on the wire. Computed on demand: it costs a serialisation. */
  bytes(): number
  /** May its text be truncated or offloaded? False for reasoning, opaque parts, and results whose content is encrypted. */
  readonly editable: boolean
  /** Text that a client put in by itself (system reminder, environment, notification), not the user's own words. */
  readonly injected?: boolean
  /** Must stand byte for byte wherever it stands (a provider's own compaction item). */
  readonly pinned?: boolean
  /** Counts 0 towards the model's input (thinking of an earlier turn that the provider drops, a cache marker). */
  readonly free?: boolean
}

/** A native item as the engine sees it. */
export interface MessageView {
  readonly role: Role
  readonly parts: readonly PartView[]
  /** A summary that this library placed earlier: never taken for the user's words. */
  readonly checkpoint?: boolean
}

/** One edit of one part, with the text that takes its place where there is one. */
export type PartEdit =
  /** The part leaves the item. */
  | { readonly kind: 'remove'; readonly part: number }
  /**
   * The part's text becomes `text`. For a tool call `text` is JSON of the same shape, for a tool result it replaces the
   * text blocks; media in the result stay unless a placeholder edit takes them.
   */
  | { readonly kind: 'replace-text'; readonly part: number; readonly text: string }
  /** The whole content of a tool result, media included, becomes this one text. */
  | { readonly kind: 'replace-result'; readonly part: number; readonly text: string }
  /** Media of this part (the part itself, or those inside a tool result) become this text. */
  | {
      readonly kind: 'replace-media'
      readonly part: number
      readonly media: 'image' | 'document'
      readonly text: string
    }

/** A request taken apart. `Item` is the native item; nothing in it is ever mutated. */
export interface Conversation<Item> {
  /** Leading system items and blocks, in native form. They have no position and are never edited. */
  readonly system: readonly unknown[]
  /** The positions: `items[0]` is position 0. */
  readonly items: readonly Item[]
  /** Tool definitions in native form. Absent: unknown (a session file), so rules about them are not checked. */
  readonly tools?: readonly unknown[]
  readonly model?: string
  /** Output tokens this request asks for. */
  readonly outputCap?: number
  /** Thinking budget inside the output cap, where the format has one. */
  readonly thinkingBudget?: number
  /** History that lives at the provider (`previous_response_id`, `conversation`): the items are only the newest part. */
  readonly historyOnServer?: boolean
  /** The provider clears or summarises content by itself: the usage it reports is that of what is left. */
  readonly serverEdits?: boolean
}

/** How signed thinking is tied to what stands before it. See docs/architecture.md, "Thinking is bound". */
export type ThinkingBinding = 'none' | 'turn' | 'prefix'

/** What a dialect must know beyond the items when it renders a view. */
export interface RenderContext {
  readonly thinkingBinding: ThinkingBinding
  /** Must user and assistant alternate strictly? Some formats always demand it (then this changes nothing). */
  readonly strictAlternation: boolean
}

/** One item of a view on its way to the wire. */
export type RenderedItem<Item> =
  /** An item of the transcript; `edited` tells whether edits made it a new object. */
  | { readonly kind: 'item'; readonly position: number; readonly item: Item; readonly edited: boolean }
  /** A summary that stands between items. */
  | { readonly kind: 'summary'; readonly insertAfter: number; readonly text: string }

/** A protocol rule that a conversation breaks. */
export interface Violation {
  /** Stable id, e.g. `anthropic/tool-result-without-call`. */
  readonly rule: string
  /** Position of the item, or undefined when the request as a whole is meant. */
  readonly position?: number
  /** Part of that item. */
  readonly part?: number
  /** What is wrong, in one sentence. */
  readonly message: string
  /** What to do about it, in one sentence. */
  readonly fix: string
}

/**
 * What the engine needs of a wire format: to read items, to edit them, and to lay a view out legally. Dialects implement
 * it; the engine never sees a concrete format.
 */
export interface Lens<Item> {
  readonly name: string
  /** The item as the engine sees it. */
  view(item: Item): MessageView
  /**
   * A new item with the edits, sharing what they do not touch; undefined when no part is left. Never mutates. A part that
   * cannot take its edit (not `editable`, no media of that kind, arguments that are no JSON) stays as it is, and an item
   * that no edit changed is the same object.
   * @throws PalimpsestError `plan-mismatch` for a part that is not there.
   */
  edit(item: Item, edits: readonly PartEdit[]): Item | undefined
  /**
   * Items as they go out: summaries become items (or the first part of the plain user item behind them where roles
   * alternate), neighbours of one role are joined where the format demands alternation, thinking that lost its prefix
   * leaves, ids that point at removed things are stripped. `changed` is what the plan did: `from` is the first position
   * that it changed or took away (undefined: none), `before` the transcript length when the plan was made: bound
   * reasoning at positions in [from, before) was produced before that change.
   * An untouched item comes out as the same object.
   */
  layOut(
    items: readonly RenderedItem<Item>[],
    changed: { readonly from: number | undefined; readonly before: number },
    context: RenderContext,
  ): readonly Item[]
  /** The rules of the format that a request with these items breaks; none: it may go out. */
  check(view: Conversation<Item>, context?: Partial<RenderContext>): readonly Violation[]
  /**
   * The position before which a provider's own compaction made everything obsolete: it counts 0 and may be dropped before
   * anything else. 0, or absent: nothing is.
   */
  obsoleteBefore?(items: readonly Item[]): number
  /** The item without outputs that are for the program alone, which the model is not sent. Absent: there are none. */
  withoutProgramOutput?(item: Item): Item
  /** Stable text of the item: equal for items that differ only in volatile fields such as cache marks. */
  fingerprint(item: Item): string
}
