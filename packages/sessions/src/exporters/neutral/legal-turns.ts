import type { LossTally } from '../loss-tally.ts'
import { mediaNote, neutralText } from './neutral-conversation.ts'
import type { TurnShape } from './neutral-writer.ts'
import type { AssistantTurn, Turn } from './turns.ts'

/** The turns as the format takes them: what it refuses is left out or put differently, what it demands is added. */
export function legalTurns(turns: readonly Turn[], shape: TurnShape, losses: LossTally): readonly Turn[] {
  const said = turns.flatMap((turn) => (turn.role === 'assistant' ? takenParts(turn, shape, losses) : [turn]))
  const spoken = shape.systemInside === 'taken' ? said : said.map((turn) => systemAsUser(turn, losses))
  const written = shape.blankTexts === 'taken' ? spoken : spoken.flatMap((turn) => withoutBlanks(turn, losses))
  const begun = withOpening(written, shape, losses)
  return withEnding(begun, shape, losses)
}

/** An answer without what the format does not take in one. */
function takenParts(turn: AssistantTurn, shape: TurnShape, losses: LossTally): readonly Turn[] {
  const parts = turn.parts.flatMap((part): AssistantTurn['parts'] => {
    if (part.kind === 'reasoning' && shape.openReasoning === 'refused') {
      losses.add('reasoning', turn.position)
      return []
    }
    if (part.kind === 'reasoning' && part.signed) losses.add('signature of reasoning', turn.position)
    if (part.kind === 'reasoning' && part.text === '') return []
    if (part.kind !== 'media' || shape.assistantMedia === 'taken') return [part]
    losses.add(`${part.type} of the assistant (a note stands in its place)`, turn.position)
    return [neutralText(mediaNote(part))]
  })
  return parts.length === 0 ? [] : [{ ...turn, parts }]
}

function systemAsUser(turn: Turn, losses: LossTally): Turn {
  if (turn.role !== 'system') return turn
  losses.add('role of a system message (carried as the user’s)', turn.position)
  return { role: 'user', position: turn.position, content: [neutralText(turn.text)] }
}

function withoutBlanks(turn: Turn, losses: LossTally): readonly Turn[] {
  const isSaid = <Part extends { readonly kind: string }>(part: Part) => {
    if (part.kind !== 'text' || (part as unknown as { text: string }).text.trim() !== '') return true
    losses.add('blank text', turn.position)
    return false
  }
  if (turn.role === 'system') return isSaid({ kind: 'text', text: turn.text }) ? [turn] : []
  if (turn.role === 'user') {
    const content = turn.content.filter(isSaid)
    return content.length === 0 ? [] : [{ ...turn, content }]
  }
  const parts = turn.parts.filter(isSaid).map((part) => {
    if (part.kind !== 'call' || part.result === undefined) return part
    return { ...part, result: { ...part.result, content: part.result.content.filter(isSaid) } }
  })
  return parts.length === 0 ? [] : [{ ...turn, parts }]
}

function withOpening(turns: readonly Turn[], { opening }: TurnShape, losses: LossTally): readonly Turn[] {
  const first = turns[0]
  if (first !== undefined && (opening === 'any' || first.role !== 'assistant')) return turns
  losses.add('added: a first message of the user')
  return [{ role: 'user', position: first?.position ?? 0, content: [neutralText(OPENING)] }, ...turns]
}

function withEnding(turns: readonly Turn[], { ending }: TurnShape, losses: LossTally): readonly Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant' || ending === 'any') return turns
  // Its results follow as the user's.
  if (last.parts.some((part) => part.kind === 'call')) return turns
  if (ending === 'trimmed') return [...turns.slice(0, -1), { ...last, parts: trimmedEnd(last.parts) }]
  losses.add('added: a last message of the user')
  return [...turns, { role: 'user', position: last.position, content: [neutralText(ENDING)] }]
}

function trimmedEnd<Part extends { readonly kind: string }>(parts: readonly Part[]): readonly Part[] {
  const last = parts.at(-1)
  if (last?.kind !== 'text') return parts
  return [...parts.slice(0, -1), { ...last, text: (last as unknown as { text: string }).text.trimEnd() }]
}

/** Formats in which the user begins get this where somebody else did. */
const OPENING = 'Continue this conversation.'
const ENDING = 'Continue.'
