import { oneLine } from './text-cut.ts'

/** How far a planned piece of work is. */
export type PlanState = 'active' | 'pending' | 'done'

/** One line of a plan. */
export interface PlanEntry {
  readonly text: string
  readonly state: PlanState
}

/** What a call does to the plan: it replaces it, adds an entry, or moves one. */
export type PlanChange =
  | { readonly kind: 'replace'; readonly entries: readonly PlanEntry[] }
  | { readonly kind: 'add'; readonly text: string }
  | {
      readonly kind: 'move'
      readonly id: string
      readonly state?: PlanState
      readonly gone: boolean
      readonly text?: string
    }

/** One call that changed the plan; `id` is what its result named the new entry, where it did. */
export interface PlanEvent {
  readonly change: PlanChange
  readonly id?: string
}

const LONGEST_ENTRY = 400
const MOST_ENTRIES = 200

/** Reads the plan in a call's arguments (TodoWrite, todo_write, update_plan, TaskCreate, TaskUpdate …), if it holds one. */
export function readPlanChange(tool: string, value: unknown): PlanChange | undefined {
  if (typeof value === 'string') return planInScript(value)
  if (!isRecord(value)) return undefined
  const isTaskTool = /^(?:task_?(?:create|update)|create_?task|update_?task)$/i.test(tool)
  if (isTaskTool) return taskChange(value)
  if (!/todo|plan|task_?list/i.test(tool)) return undefined
  const list = [value.todos, value.plan, value.items, value.tasks, value.steps].find(Array.isArray)
  if (list !== undefined) return { kind: 'replace', entries: list.slice(0, MOST_ENTRIES).flatMap(entryOf) }
  const text = value.todos ?? value.plan
  return typeof text === 'string' ? { kind: 'replace', entries: entriesOfMarkdown(text) } : undefined
}

/** The plan after all these changes, in the order in which entries came; an entry without a known id keeps its place. */
export function foldPlan(events: readonly PlanEvent[]): readonly PlanEntry[] {
  let entries: { id: string; entry: PlanEntry }[] = []
  let created = 0
  for (const { change, id } of events) {
    if (change.kind === 'replace') entries = change.entries.map((entry, at) => ({ id: String(at + 1), entry }))
    else if (change.kind === 'add') {
      created += 1
      entries.push({ id: id ?? String(created), entry: { text: change.text, state: 'pending' } })
    } else if (change.gone) entries = entries.filter((known) => known.id !== change.id)
    else {
      entries = entries.map((known) =>
        known.id === change.id
          ? { id: known.id, entry: { text: change.text ?? known.entry.text, state: change.state ?? known.entry.state } }
          : known,
      )
    }
  }
  return entries.map((known) => known.entry)
}

/** The id that a result gives a new entry (`Task #3 created`). */
export function createdEntryId(result: string): string | undefined {
  return /\btask\s+#?([\w-]{1,40})\s+created/i.exec(result.slice(0, 400))?.[1]
}

function taskChange(value: Readonly<Record<string, unknown>>): PlanChange | undefined {
  const subject = value.subject ?? value.title ?? value.description
  const id = value.taskId ?? value.task_id ?? value.id
  if (typeof id === 'string' || typeof id === 'number') {
    const status = value.status
    return {
      kind: 'move',
      id: String(id),
      gone: status === 'deleted',
      ...(typeof status === 'string' ? { state: stateOf(status) } : {}),
      ...(typeof value.subject === 'string' ? { text: oneLine(value.subject, LONGEST_ENTRY) } : {}),
    }
  }
  return typeof subject === 'string' ? { kind: 'add', text: oneLine(subject, LONGEST_ENTRY) } : undefined
}

function entryOf(value: unknown): readonly PlanEntry[] {
  if (typeof value === 'string')
    return value.trim() === '' ? [] : [{ text: oneLine(value, LONGEST_ENTRY), state: 'pending' }]
  if (!isRecord(value)) return []
  const text = [value.content, value.step, value.text, value.title, value.subject, value.description].find(
    (candidate) => typeof candidate === 'string' && candidate.trim() !== '',
  )
  const status = value.status ?? value.state ?? (value.completed === true || value.done === true ? 'done' : '')
  if (typeof text !== 'string' || status === 'cancelled') return []
  return [{ text: oneLine(text, LONGEST_ENTRY), state: stateOf(typeof status === 'string' ? status : '') }]
}

function stateOf(status: string): PlanState {
  if (/progress|active|doing|current/i.test(status)) return 'active'
  return /complete|done|finished|closed/i.test(status) ? 'done' : 'pending'
}

function entriesOfMarkdown(text: string): readonly PlanEntry[] {
  return [...text.slice(0, 40_000).matchAll(/^\s*(?:[-*]|\d+[.)])\s*(?:\[([ xX~-])\]\s*)?(.+)$/gm)]
    .slice(0, MOST_ENTRIES)
    .map(([, mark, line]) => ({
      text: oneLine(line ?? '', LONGEST_ENTRY),
      state: mark === 'x' || mark === 'X' ? 'done' : mark === '~' || mark === '-' ? 'active' : 'pending',
    }))
}

/** A script that calls `update_plan({plan: [{step: "…", status: "…"}]})`. */
function planInScript(script: string): PlanChange | undefined {
  const start = script.indexOf('update_plan(')
  if (start < 0) return undefined
  const entry = /["']?step["']?\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*["']?status["']?\s*:\s*["'](\w+)["']/g
  const entries = [...script.slice(start, start + 40_000).matchAll(entry)].map(([, text, status]) => ({
    text: oneLine((text ?? '').replace(/\\(.)/g, '$1'), LONGEST_ENTRY),
    state: stateOf(status ?? ''),
  }))
  return entries.length > 0 ? { kind: 'replace', entries } : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
