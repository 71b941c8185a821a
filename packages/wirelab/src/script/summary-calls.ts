import type { FaultKind } from '../faults.ts'
import type { Reply } from '../format.ts'
import { field, listField } from '../json-fields.ts'
import type { LabCall } from '../lab-call.ts'
import type { Script } from './script.ts'

/** How a summariser behaves, well or badly. */
export type SummaryBehaviour =
  | 'normal'
  | 'empty'
  | 'whitespace'
  | 'reasoning-only'
  | 'refusal'
  | 'length'
  | 'tool-call'
  | 'repeats-input'
  | 'nothing-said'
  | 'three-words'
  | 'overflow'
  | 'stalls'

/** What answers summary calls: one behaviour, several in order (the last one stays), or a script. */
export type SummaryScript =
  | SummaryBehaviour
  | readonly SummaryBehaviour[]
  | Extract<Script, (...args: never) => unknown>

/**
 * Does this body ask for a summary? It is one when it has no tools, and one user message alone whose text holds the
 * opening tag `<transcript`.
 *
 * @example
 * isSummaryCall({ messages: [{ role: 'user', content: 'Hello' }] }) // false
 */
export function isSummaryCall(body: unknown): boolean {
  if (listField(body, 'tools').length > 0 || field(body, 'toolConfig') !== undefined) return false
  const input = field(body, 'input')
  if (typeof input === 'string') return input.includes('<transcript')
  const said = ['messages', 'input', 'contents']
    .flatMap((key) => listField(body, key))
    .filter((message) => !['system', 'developer'].includes(String(field(message, 'role'))))
  const [only, ...others] = said
  return others.length === 0 && field(only, 'role') === 'user' && JSON.stringify(only).includes('<transcript')
}

/** What a summariser of this behaviour does with a call: it answers, or it fails. */
export async function summaryOf(script: SummaryScript, call: LabCall): Promise<Reply | FaultKind> {
  if (typeof script === 'function') return script(call)
  const behaviours: readonly SummaryBehaviour[] = typeof script === 'string' ? [script] : script
  const behaviour = behaviours[Math.min(call.answered, behaviours.length - 1)]
  if (behaviour === undefined) throw new RangeError('a list of summariser behaviours needs at least one')
  return behave(behaviour, call)
}

function behave(behaviour: SummaryBehaviour, call: LabCall): Reply | FaultKind {
  switch (behaviour) {
    case 'normal':
      return said(SUMMARY)
    case 'empty':
      return { parts: [], finish: 'stop' }
    case 'whitespace':
      return said(' \n\n  ')
    case 'reasoning-only':
      return {
        parts: [{ kind: 'reasoning', text: 'I look at the transcript and think about what matters in it.' }],
        finish: 'stop',
      }
    case 'refusal':
      return { ...said('I cannot help with that request.'), finish: 'refusal' }
    case 'length':
      return { ...said(SUMMARY.slice(0, SUMMARY.length / 2)), finish: 'length' }
    case 'tool-call':
      return {
        parts: [
          {
            kind: 'tool-call',
            id: `toolu_lab_summary_${call.answered}`,
            name: 'read_file',
            input: { path: 'README.md' },
          },
        ],
      }
    case 'repeats-input':
      return said(lastUserText(call.body))
    case 'nothing-said':
      return said('No events were given, so there is nothing to summarize.')
    case 'three-words':
      return said('Work was done.')
    case 'overflow':
      return { kind: 'overflow', when: 'before-first-byte' }
    case 'stalls':
      return { kind: 'stall', when: call.stream ? 'mid-stream' : 'before-first-byte' }
  }
}

function said(text: string): Reply {
  return { parts: [{ kind: 'text', text }], finish: 'stop' }
}

/** All text of the last user message, wherever its format keeps it. */
export function lastUserText(body: unknown): string {
  const input = field(body, 'input')
  if (typeof input === 'string') return input
  const messages = ['messages', 'input', 'contents'].flatMap((key) => listField(body, key))
  const last = messages.findLast((message) => field(message, 'role') === 'user')
  const content = field(last, 'content') ?? field(last, 'parts')
  if (typeof content === 'string') return content
  return (Array.isArray(content) ? content : []).map((part) => String(field(part, 'text') ?? '')).join('\n')
}

const SUMMARY = `The user asked for a change to the project, and the assistant worked through it with its tools.

Done so far: the relevant files were read, the cause was found, and the first part of the change was written and tested.
Decisions: the existing interface stays as it is; the new behaviour is behind an option that is off by default.
Files: the source file that holds the logic, its test beside it, and the page of the documentation that describes it.
Open: the second part of the change, its tests, and a last run of the whole suite.
Next step: go on with the second part, then run the tests and report what changed.`
