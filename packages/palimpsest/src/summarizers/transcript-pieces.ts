import { cutMiddle, oneLine } from '../engine/manifest/text-cut.ts'
import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import { withoutThinking } from '../engine/manifest/without-thinking.ts'
import type { Media, MessageView, PartView } from '../engine/messages/message.ts'
import type { PositionRange } from '../engine/plan/plan.ts'
import { hasPosition, positionSet } from '../engine/plan/position-set.ts'
import { unwrapCheckpoint } from '../engine/summary/checkpoint-text.ts'

/** What a piece of a transcript is: how much of a long one a summariser reads depends on it. */
export type PieceKind = 'words' | 'reply' | 'call' | 'result' | 'injected' | 'earlier'

/** One thing that was said or done, as a summariser reads it. Holds no reasoning, no signature and no picture. */
export interface TranscriptPiece {
  readonly kind: PieceKind
  /** Who or what, in a few words. */
  readonly head: string
  /** The whole text. */
  readonly text: string
  /** It stays in the view verbatim beside the summary. */
  readonly stays: boolean
}

/** Which of the slices a summary is about. */
export interface PieceScope {
  readonly ranges: readonly PositionRange[]
  /** Positions that an earlier summary tells. */
  readonly told?: readonly PositionRange[]
  /** Position of the message that stays in the view verbatim. */
  readonly lastUserMessage?: number
}

/** The pieces in scope, in order. System messages are left out: the engine carries them itself. */
export function transcriptPieces(slices: readonly TranscriptSlice[], scope: PieceScope): readonly TranscriptPiece[] {
  const inside = positionSet(scope.ranges)
  const told = positionSet(scope.told ?? [])
  const tools = toolNames(slices)
  return slices
    .filter(({ position, view }) => {
      return view.role !== 'system' && hasPosition(inside, position) && !hasPosition(told, position)
    })
    .flatMap(({ position, view }) => {
      const pieces = view.parts.flatMap((part) => piecesOf(view, part, tools))
      // Of an item that holds results too, the user's words stay; a checkpoint leaves with what it carries.
      const keepsWords = position === scope.lastUserMessage && view.checkpoint !== true
      return pieces.map((piece) => ({ ...piece, stays: keepsWords && piece.kind === 'words' }))
    })
}

/** Of a piece that may be `detail` characters long if it is a tool result, what is read: head and tail of a longer one. */
export function boundedText({ kind, text }: TranscriptPiece, detail: number): string {
  return cutMiddle(text, Math.floor(detail * WEIGHT[kind]))
}

/** How much longer than a tool result a piece may be: what people write matters most. */
const WEIGHT: Readonly<Record<PieceKind, number>> = {
  words: 6,
  reply: 2,
  call: 0.5,
  result: 1,
  injected: 0.5,
  earlier: Number.POSITIVE_INFINITY,
}

/** The tools that were called, by call id: results often do not name theirs. */
function toolNames(slices: readonly TranscriptSlice[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { view } of slices) {
    for (const { kind, callId, toolName } of view.parts) {
      if (kind === 'tool-call' && callId !== undefined && toolName !== undefined) names.set(callId, toolName)
    }
  }
  return names
}

type Piece = Omit<TranscriptPiece, 'stays'>

function piecesOf(view: MessageView, part: PartView, tools: ReadonlyMap<string, string>): readonly Piece[] {
  if (part.kind === 'reasoning' || part.kind === 'opaque') return []
  const checkpoint = part.kind === 'text' ? unwrapCheckpoint(part.text()) : undefined
  if (checkpoint !== undefined) {
    const { summary, lastUserMessage } = checkpoint
    const own = lastUserMessage === undefined ? [] : [{ kind: 'words', head: 'user', text: lastUserMessage } as const]
    return [{ kind: 'earlier', head: 'earlier summary', text: summary }, ...own]
  }
  const { kind, head } = labelOf(view, part, tools)
  const shown = kind === 'reply' ? withoutThinking(part.text()) : part.text()
  const text = [shown, ...(part.media ?? []).map(mediaName)].filter((line) => line.trim() !== '').join('\n')
  return text === '' && part.kind !== 'tool-result' ? [] : [{ kind, head, text }]
}

function labelOf(
  view: MessageView,
  part: PartView,
  tools: ReadonlyMap<string, string>,
): { readonly kind: PieceKind; readonly head: string } {
  const tool = part.toolName ?? (part.callId === undefined ? undefined : tools.get(part.callId))
  const named = tool === undefined ? '' : ` ${oneLine(tool, 80)}`
  switch (part.kind) {
    case 'tool-call':
      return { kind: 'call', head: `assistant calls${named}` }
    case 'tool-result':
      return { kind: 'result', head: `result of${named || ' a call'}${part.isError === true ? ', failed' : ''}` }
    case 'approval-request':
      return { kind: 'call', head: 'approval asked' }
    case 'approval-response':
      return { kind: 'words', head: 'approval answer' }
    default:
      if (view.role === 'assistant') return { kind: 'reply', head: 'assistant' }
      return part.injected === true
        ? { kind: 'injected', head: 'inserted by the client' }
        : { kind: 'words', head: 'user' }
  }
}

/** A picture is named, never sent. */
function mediaName({ kind, width, height, pages }: Media): string {
  const size = width !== undefined && height !== undefined ? `, ${width} × ${height}` : ''
  return `(${kind}${size}${pages === undefined ? '' : `, ${pages} pages`})`
}
