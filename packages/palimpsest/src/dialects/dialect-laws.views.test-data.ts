import { expect } from 'vitest'
import { groupMessages, type MessageGroup } from '../engine/messages/groups.ts'
import type { MessageView, PartEdit, RenderContext, RenderedItem } from '../engine/messages/message.ts'
import type { Plan } from '../engine/plan/plan.ts'
import { renderPlan } from '../engine/plan/render.ts'
import { evictGroups } from '../engine/strategies/evict.ts'
import {
  at,
  contextOf,
  editsOf,
  expectIs,
  expectSame,
  type Law,
  type LawRun,
  readItems,
} from './dialect-laws.runs.test-data.ts'

/** Laws about the items of a view: laid out, with groups gone, and growing. */
export const VIEW_LAWS: readonly Law[] = [
  { name: 'a list that no plan touched is laid out as the same objects', holds: laysOutUntouched },
  {
    name: 'any whole groups may leave: the check accepts what is left, and no word of it is lost',
    holds: losesGroups,
    isDear: true,
  },
  {
    name: 'a summary in front of any turn of the user gives a view that the check accepts',
    holds: summarisesBefore,
    isDear: true,
  },
  {
    name: 'any edits that leave calls and results in place give a view that the check accepts',
    holds: takesEdits,
    isDear: true,
  },
  { name: 'a view only grows at its end while the plan stays', holds: onlyGrows, isDear: true },
]

function laysOutUntouched(run: LawRun): undefined {
  const { dialect, items } = run
  const entries = items.map((item, position): RenderedItem<object> => ({ kind: 'item', position, item, edited: false }))
  const out = dialect.layOut(entries, { from: undefined, before: items.length }, contextOf(run))
  expect(out.length).toBe(items.length)
  expect(out.every((item, index) => item === items[index])).toBe(true)
}

function losesGroups(run: LawRun): 'nothing to say' | undefined {
  const { dialect, conversation, options } = run
  const { plan, context, out } = withoutGroups(run)
  if (plan.drop?.length === 0 || out.length === 0) return 'nothing to say'
  const broken = dialect.check({ ...conversation, items: out }, context).map(({ rule }) => rule)
  expect(broken.filter((rule) => options.refusals?.[rule] === undefined)).toEqual([])
  // Strict templates may ask for neighbours to become one text.
  if (!context.strictAlternation) expectSame(shownWords(dialect, out), keptWords(run, plan))
  return undefined
}

/** The words of what a plan leaves, but for reasoning, which rules of its own may take away. */
function keptWords({ items, views }: LawRun, plan: Plan): readonly string[] {
  const drops = plan.drop ?? []
  const removed = new Set((plan.removals ?? []).map((one) => `${one.message_index}.${one.part}`))
  const kept = items.flatMap((_, position) =>
    drops.some(({ from, to }) => from <= position && position < to)
      ? []
      : wordsOf(at(views, position), (part) => !removed.has(`${position}.${part}`)),
  )
  return kept.sort()
}

function shownWords(dialect: LawRun['dialect'], items: readonly object[]): readonly string[] {
  const shown = items.flatMap((item) => wordsOf(dialect.view(item), () => true))
  return shown.filter((text) => text !== `text: ${SUMMARY}`).sort()
}

function summarisesBefore(run: LawRun): 'nothing to say' | undefined {
  const { dialect, conversation, views, dice } = run
  const context = contextOf(run)
  const groups = groupMessages(views)
  // What a provider sealed stays where it stands: then the summary is not the first.
  if (groups.some((group) => group.pinned)) return 'nothing to say'
  const turns = groups.flatMap((group, index) => (group.kind === 'user' && index > 0 ? [index] : []))
  const start = turns[dice(Math.max(1, turns.length))]
  const first = start === undefined ? undefined : groups[start]?.slices[0]
  // Words beside results are no place for a summary.
  if (start === undefined || first === undefined || first.parts !== 'all') return 'nothing to say'
  const gone = evictGroups(groups, (group, index) => index < start && group.kind !== 'system', {})
  const plan = { ...gone, summaries: [{ insert_after: first.position - 1, content: SUMMARY }] }
  const out = renderPlan(dialect, readItems(run), plan, context)
  expect(dialect.check({ ...conversation, items: out }, context).map(({ rule }) => rule)).toEqual([])
  return undefined
}

const SUMMARY = 'What stood here, in short.'

function wordsOf({ parts }: MessageView, isKept: (part: number) => boolean): readonly string[] {
  return parts.flatMap((part, number) =>
    part.kind === 'reasoning' || !isKept(number) ? [] : [`${part.kind}: ${part.text()}`],
  )
}

/** Each group but the newest may leave; a summary stands where the first of them stood, or nowhere. */
function withoutGroups(run: LawRun): { plan: Plan; context: RenderContext; out: readonly object[] } {
  const { dialect, views, dice } = run
  const context = contextOf(run)
  const groups = groupMessages(views)
  const odds = 1 + dice(3)
  const newest = newestGroup(groups)
  const gone = evictGroups(groups, (_, index) => index < newest && dice(4) < odds, {})
  const from = Math.min(...[...gone.drop.map((range) => range.from), ...gone.removals.map((one) => one.message_index)])
  const isShared = !gone.drop.some((range) => range.from === from)
  const plan = {
    ...gone,
    summaries: Number.isFinite(from) ? [{ insert_after: isShared ? from : from - 1, content: SUMMARY }] : [],
  }
  return { plan, context, out: renderPlan(dialect, readItems(run), plan, context) }
}

function takesEdits(run: LawRun): 'nothing to say' | undefined {
  const { dialect, conversation, items, views, dice, options } = run
  const context = contextOf(run)
  const entries = items.flatMap((item, position): RenderedItem<object>[] => {
    const view = at(views, position)
    const edits = view.parts.flatMap((part, number): PartEdit[] => {
      const all = editsOf(view, number, options.fixedArguments?.keys)
      const edit = at(all, part.kind === 'reasoning' ? 0 : 1 + dice(all.length - 1))
      return dice(3) === 0 ? [edit] : []
    })
    const edited = dialect.edit(item, edits)
    return edited === undefined ? [] : [{ kind: 'item', position, item: edited, edited: edited !== item }]
  })
  const out = dialect.layOut(entries, { from: 0, before: items.length }, context)
  if (out.length === 0) return 'nothing to say'
  expect(dialect.check({ ...conversation, items: out }, context).map(({ rule }) => rule)).toEqual([])
  return undefined
}

/** No plan takes away what the model has to answer: the last words of the user, and what followed them. */
function newestGroup(groups: readonly MessageGroup[]): number {
  return Math.max(
    0,
    groups.findLastIndex((group) => group.kind === 'user'),
  )
}

function onlyGrows(run: LawRun): 'nothing to say' | undefined {
  const { dialect, conversation, items, views, dice } = run
  const before = 1 + dice(items.length)
  const context = contextOf(run)
  const isSendable = (length: number) =>
    dialect.check({ ...conversation, items: items.slice(0, length) }, context).length === 0
  // A request as it could have been sent, and the same transcript later.
  if (!isSendable(before)) return 'nothing to say'
  const groups = groupMessages(views.slice(0, before))
  const newest = newestGroup(groups)
  const gone = evictGroups(groups, (_, index) => index < newest && dice(3) === 0, {})
  const plan = { ...gone, summaries: [{ insert_after: -1, content: SUMMARY }] }
  const shown = (length: number) => renderPlan(dialect, readItems(run, length), plan, { ...context, madeAt: before })
  const later = shown(items.length)
  for (const [index, item] of shown(before).entries()) {
    const other = at(later, index)
    if (other !== item) expectIs(dialect.fingerprint(other), dialect.fingerprint(item))
  }
  return before === items.length || gone.drop.length === 0 ? 'nothing to say' : undefined
}
