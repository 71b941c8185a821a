import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { stringOr } from '../json-fields.ts'
import { violation } from '../violation.ts'
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isDirective, kindOf, roleOf, typeOf } from './items.ts'
import { ANTHROPIC_RULES } from './rules.ts'

/** Rules about calls and their results. Neighbours of one role count as one message: so the API joins them. */
export function checkTools(view: Conversation<AnthropicMessage>): readonly Violation[] {
  const turns = joinedTurns(view.items)
  return [
    ...turns.flatMap((turn, index) => [...checkCalls(turn, turns[index + 1]), ...checkResults(turn, turns[index - 1])]),
    ...checkServerTools(turns),
    ...checkDefinitions(view),
  ]
}

interface PlacedBlock {
  readonly block: AnthropicBlock
  readonly position: number
  readonly part: number
}

interface Turn {
  readonly role: string
  readonly blocks: PlacedBlock[]
}

function joinedTurns(items: readonly AnthropicMessage[]): readonly Turn[] {
  const turns: Turn[] = []
  items.forEach((message, position) => {
    if (isDirective(message)) return
    const role = roleOf(message)
    const blocks = blocksOf(message).map((block, part) => ({ block, position, part }))
    const last = turns.at(-1)
    if (last !== undefined && last.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks })
  })
  return turns
}

function callsOf(turn: Turn | undefined): readonly PlacedBlock[] {
  if (turn?.role !== 'assistant') return []
  return turn.blocks.filter(({ block }) => kindOf(block) === 'client-call')
}

function resultsOf(turn: Turn | undefined): readonly PlacedBlock[] {
  if (turn?.role !== 'user') return []
  return turn.blocks.filter(({ block }) => kindOf(block) === 'client-result')
}

function callId(block: AnthropicBlock): string {
  return stringOr(block.id, '')
}

function answeredId(block: AnthropicBlock): string {
  return stringOr(block.tool_use_id, '')
}

function checkCalls(turn: Turn, next: Turn | undefined): readonly Violation[] {
  const answered = new Set(resultsOf(next).map(({ block }) => answeredId(block)))
  const seen = new Set<string>()
  return callsOf(turn).flatMap(({ block, position, part }) => {
    const id = callId(block)
    if (seen.has(id)) {
      const text = `Two calls of one turn have the id ${id}.`
      return violation(ANTHROPIC_RULES.repeatedCall, { position, part }, text, 'Give every call its own id.')
    }
    seen.add(id)
    if (answered.has(id)) return []
    const text = `Call ${id} is not answered in the next user message.`
    return violation(ANTHROPIC_RULES.unanswered, { position, part }, text, 'Send its result, or leave the call out.')
  })
}

function checkResults(turn: Turn, before: Turn | undefined): readonly Violation[] {
  const asked = new Set(callsOf(before).map(({ block }) => callId(block)))
  const seen = new Set<string>()
  const firstOther = turn.blocks.findIndex(({ block }) => OTHER_CONTENT.has(typeOf(block)))
  return resultsOf(turn).flatMap((placed) => {
    const { block, ...place } = placed
    const id = answeredId(block)
    if (!asked.has(id)) {
      const text = `Result ${id} answers no call of the assistant message before it.`
      return violation(ANTHROPIC_RULES.orphan, place, text, 'Leave the result out, or put its call back.')
    }
    if (seen.has(id)) {
      const text = `Call ${id} is answered more than once.`
      return violation(ANTHROPIC_RULES.repeatedResult, place, text, 'Send one result for each call.')
    }
    seen.add(id)
    if (firstOther < 0 || turn.blocks.indexOf(placed) < firstOther) return []
    const text = `Result ${id} stands behind other content of its message.`
    return violation(ANTHROPIC_RULES.resultOrder, place, text, 'Put results first.')
  })
}

/** What must not stand before a result. Blocks that are not known are not judged. */
const OTHER_CONTENT: ReadonlySet<string> = new Set(['text', 'image', 'document', 'search_result'])

/**
 * A server tool's result stands in the assistant message of its call, or, where the model called a client's tool
 * meanwhile, in a later one of the same turn. Until then the user sends results only.
 */
function checkServerTools(turns: readonly Turn[]): readonly Violation[] {
  const open = new Map<string, PlacedBlock>()
  const found: Violation[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      for (const placed of turn.blocks) {
        const { block, position, part } = placed
        if (kindOf(block) === 'server-call') open.set(callId(block), placed)
        if (kindOf(block) === 'server-result' && !open.delete(answeredId(block))) {
          const text = `The server tool's result ${answeredId(block)} has no call before it.`
          const fix = 'Keep a server tool’s call and result together.'
          found.push(violation(ANTHROPIC_RULES.serverOrphan, { position, part }, text, fix))
        }
      }
    } else if (turn.role === 'user' && turn.blocks.some(({ block }) => kindOf(block) !== 'client-result')) {
      found.push(...[...open.values()].map(unansweredServerCall))
      open.clear()
    }
  }
  return found
}

function unansweredServerCall({ block, position, part }: PlacedBlock): Violation {
  const text = `The server tool's call ${callId(block)} has no result, though the turn went on.`
  const fix = 'Keep a server tool’s call and result together.'
  return violation(ANTHROPIC_RULES.serverUnanswered, { position, part }, text, fix)
}

function checkDefinitions(view: Conversation<AnthropicMessage>): readonly Violation[] {
  if (view.tools === undefined || view.tools.length > 0) return []
  const position = view.items.findIndex((message) => blocksOf(message).some((block) => kindOf(block) === 'client-call'))
  if (position < 0) return []
  const text = 'The history holds tool calls, the request defines no tools.'
  return [violation(ANTHROPIC_RULES.noTools, {}, text, 'Send the tool definitions along.')]
}
