import type { ContextMeter, PermissionRequest } from '@palimpsest/agent'

/** All that the screen shows, and all that decides what a key does. Plain values: what draws it holds no state of its own. */
export interface ReplScreen {
  readonly segments: readonly Segment[]
  /** The kind of the last segment, as long as what the model streams may still be added to it. */
  readonly open: 'assistant' | 'reasoning' | undefined
  /** What stands beside the conversation, and waits until the text that streams comes to the end of a paragraph. */
  readonly held: readonly Segment[]
  /** Where the segments of the step begin that a `rewind` withdraws. */
  readonly stepFrom: number
  /** Did the step stream text? If not, its whole text is shown when it ends. */
  readonly stepSpoke: boolean
  readonly work: Work | undefined
  /** Messages that wait until the turn ends, oldest first. */
  readonly queue: readonly string[]
  /** What passes by: gone at `until`. */
  readonly notice: { readonly text: string; readonly until: number } | undefined
  /** Ctrl+C was pressed with nothing to cancel: the next one leaves. */
  readonly leaving: boolean
  /** Tool calls and reasoning whole. */
  readonly unfolded: boolean
  /** What the user is asked to allow, one after the other. */
  readonly questions: readonly Question[]
  readonly meter: ContextMeter | undefined
  /** Counts compactions and changes of session: a meter that was asked for before one is old. */
  readonly meterEpoch: number
}

/** What runs. */
export interface Work {
  readonly kind: 'turn' | 'compact' | 'model' | 'command'
  /** Milliseconds since the epoch. */
  readonly since: number
  /** It was told to stop, and has not yet: the compaction alone, or all that runs. */
  readonly ending?: 'compaction' | 'all'
  readonly compaction?: { readonly id: string; cancel(): void }
  /** The provider failed, and is asked again. */
  readonly retry?: string
}

export interface Question {
  readonly id: number
  readonly request: PermissionRequest
}

/** A piece of what was said and done, in order. */
export type Segment =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | ToolSegment
  /** A summary that the user asked for, as it is written. */
  | { readonly kind: 'summary'; readonly text: string }
  /** Stored, and shown again on a replay. */
  | { readonly kind: 'notice'; readonly text: string }
  /** Not stored. */
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string; readonly hint?: string }
  /** What a command printed. */
  | { readonly kind: 'report'; readonly lines: readonly string[] }

export interface ToolSegment {
  readonly kind: 'tool'
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Undefined while it runs. */
  readonly result?: ToolResult
  /** What a sub-agent is at. */
  readonly note?: string
}

export interface ToolResult {
  readonly text: string
  readonly failed: boolean
  readonly brief?: string
  readonly milliseconds?: number
}

/** Milliseconds that the notice of a compaction stands, and one that tells why something was not done. */
export const NOTICE_MILLISECONDS = 2_000
export const REFUSAL_MILLISECONDS = 6_000

export const emptyScreen: ReplScreen = {
  segments: [],
  open: undefined,
  held: [],
  stepFrom: 0,
  stepSpoke: false,
  work: undefined,
  queue: [],
  notice: undefined,
  leaving: false,
  unfolded: false,
  questions: [],
  meter: undefined,
  meterEpoch: 0,
}

/** The screen with one segment more, that nothing streamed is added to. */
export function withSegment(screen: ReplScreen, segment: Segment): ReplScreen {
  const closed = withTextClosed(screen)
  return { ...closed, segments: [...closed.segments, segment] }
}

/** What streams from here on stands in a segment of its own, behind what waited for that. */
export function withTextClosed(screen: ReplScreen): ReplScreen {
  if (screen.held.length === 0) return { ...screen, open: undefined }
  return { ...screen, segments: [...screen.segments, ...screen.held], held: [], open: undefined }
}

/** The screen with a segment that is no part of what the model says: it does not stand in the middle of a sentence. */
export function withAside(screen: ReplScreen, segment: Segment): ReplScreen {
  return screen.open === 'assistant' ? { ...screen, held: [...screen.held, segment] } : withSegment(screen, segment)
}

/** The screen with a line that passes by. `at`: now, in milliseconds since the epoch. */
export function withNotice(screen: ReplScreen, text: string, at: number): ReplScreen {
  return { ...screen, notice: { text, until: at + NOTICE_MILLISECONDS } }
}

export function withRefusal(screen: ReplScreen, text: string, at: number): ReplScreen {
  return { ...screen, notice: { text, until: at + REFUSAL_MILLISECONDS } }
}
