import { PalimpsestError } from '../engine/errors.ts'
import { jsonBytes } from '../engine/json/json-bytes.ts'
import type { Media, MessageView, PartEdit, PartView } from '../engine/messages/message.ts'
import {
  at,
  editsOf,
  expectIs,
  expectSame,
  isJsonValue,
  type Law,
  type LawOptions,
  type LawRun,
  readPart,
  readView,
  reversedKeys,
} from './dialect-laws.runs.test-data.ts'

/** Laws about one item: read, edited, fingerprinted. */
export const ITEM_LAWS: readonly Law[] = [
  { name: 'an item reads the same every time, and its parts are no larger than the item', holds: readsAlike },
  { name: 'an edit changes the named part alone, in a copy', holds: editsAlone },
  { name: 'an edited part says what it was told to say, under the id and name that it had', holds: saysWhatItIsTold },
  { name: 'what cannot be edited, or is edited by nothing, comes back as the same object', holds: leavesAlone },
  { name: 'an item without its parts is none, and a part that is not there is a mismatch', holds: endsInNothing },
  { name: 'fingerprints do not see the order of keys, and see everything else', holds: printsAlike },
]

function readsAlike(run: LawRun): undefined {
  const { dialect } = run
  forSomePart(run, (item, view) => {
    expectSame(readView(dialect.view(item)), readView(view))
    const sizes = view.parts.map((part) => part.bytes())
    expectIs(
      sizes.every((bytes) => Number.isInteger(bytes) && bytes > 0),
      true,
    )
    if (!isJsonValue(item)) return
    const sum = sizes.reduce((all, bytes) => all + bytes, 0)
    expectIs(sum <= jsonBytes(item) || `${sum} of ${jsonBytes(item)} bytes`, true)
    expectSame(readView(dialect.view(JSON.parse(JSON.stringify(item)) as object)), readView(view))
  })
}

function editsAlone(run: LawRun): undefined {
  forSomePart(run, (item, view, part) => {
    for (const edit of editsOf(view, part, run.options.fixedArguments?.keys)) {
      if (run.dice(2) === 0) continue
      const edited = run.dialect.edit(item, [edit])
      expectOthersUntouched(run, { item, view, edit, edited })
    }
  })
}

interface Edited {
  readonly item: object
  readonly view: MessageView
  readonly edit: PartEdit
  readonly edited: object | undefined
}

function expectOthersUntouched({ dialect, options }: LawRun, { item, view, edit, edited }: Edited): void {
  const loosens = options.loosensBehindReasoning !== undefined && view.parts[edit.part]?.kind === 'reasoning'
  const others = view.parts.filter((_, number) => number !== edit.part)
  const after = edited === undefined ? [] : dialect.view(edited).parts
  const rest = after.filter((_, number) => edit.kind === 'remove' || number !== edit.part)
  // Reasoning that led to nothing leaves with what it led to; a part that cannot leave stays.
  const stays = edited === item && edit.kind === 'remove'
  const expected = stays ? view.parts : others.slice(0, rest.length)
  if (!stays)
    expectIs(
      others.slice(rest.length).every((part) => part.kind === 'reasoning'),
      true,
    )
  const read = loosens ? (part: (typeof others)[number]) => ({ ...readPart(part), bytes: 0 }) : readPart
  expectSame(rest.map(read), expected.map(read))
  if (edited === undefined) {
    expectIs(edit.kind, 'remove')
    return
  }
  for (const [key, value] of Object.entries(item)) {
    if (!options.partKeys.includes(key)) expectIs((edited as Record<string, unknown>)[key], value)
  }
  expectIs(
    Object.keys(edited).every((key) => key in item || options.partKeys.includes(key)),
    true,
  )
  if (view.parts.length === 1 || loosens) return
  const lost = lostElements(item, edited, options)
  expectIs(lost <= 1 + others.length - rest.length || `${lost} elements are not the same`, true)
}

/** Native parts of the item that are not the same objects in its copy. */
function lostElements(item: object, edited: object, { partKeys: keys, goesAlong }: LawOptions): number {
  const elementsOf = (one: object) => keys.flatMap((key) => (one as Record<string, unknown>)[key]).filter(isObject)
  const kept = new Set(elementsOf(edited))
  return elementsOf(item).filter((element) => !kept.has(element) && goesAlong?.isIt(element) !== true).length
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function saysWhatItIsTold(run: LawRun): undefined {
  forSomePart(run, (item, view, part) => {
    for (const edit of editsOf(view, part, run.options.fixedArguments?.keys)) {
      const edited = run.dialect.edit(item, [edit])
      if (edited === undefined || edit.kind === 'remove') continue
      const before = at(view.parts, part)
      expectSaid(run.options, {
        before,
        after: at(run.dialect.view(edited).parts, part),
        edit,
        isSame: edited === item,
      })
    }
  })
}

interface Saying {
  readonly before: PartView
  readonly after: PartView
  readonly edit: Exclude<PartEdit, { kind: 'remove' }>
  readonly isSame: boolean
}

function expectSaid(options: LawOptions, { before, after, edit, isSame }: Saying): void {
  const isResult = before.kind === 'tool-result'
  const isText = options.resultText !== undefined && isResult
  const said = isText ? after.text() : JSON.stringify(after.text())
  const isSaid = said.includes(JSON.stringify(edit.text)) || `${said} does not say ${edit.text}`
  if (edit.kind === 'replace-media') {
    const isOfKind = (media: Media) => (media.kind === 'document') === (edit.media === 'document')
    const wasThere = (before.media ?? []).some(isOfKind)
    // A document that carries its text is no media to the engine, and yet a placeholder can stand for it.
    if (!wasThere && before.kind !== 'document') expectIs(isSame, true)
    if (isResult && before.editable) expectIs((after.media ?? []).some(isOfKind), false)
    if (!isSame && !isResult) expectIs([after.kind, isSaid].join(' '), 'text true')
    return
  }
  expectSame(pairOf(after), pairOf(before))
  if (!before.editable) return
  if (edit.kind === 'replace-text') {
    expectIs(isSaid, true)
    expectSame([after.kind, after.media], [before.kind, before.media])
  } else if (isResult) expectSame([isSaid, after.media ?? []], [true, []])
}

function pairOf({ kind, callId, toolName, isError }: PartView): object {
  return { kind, callId, toolName, isError }
}

function leavesAlone(run: LawRun): undefined {
  forSomePart(run, (item, view, part) => {
    expectIs(run.dialect.edit(item, []), item)
    if (view.parts[part]?.editable) return
    const [, replaceText, replaceResult] = editsOf(view, part)
    if (replaceText !== undefined) expectIs(run.dialect.edit(item, [replaceText]), item)
    if (replaceResult !== undefined) expectIs(run.dialect.edit(item, [replaceResult]), item)
  })
}

function endsInNothing(run: LawRun): undefined {
  forSomePart(run, (item, view, part) => {
    const removals = view.parts.map((_, number): PartEdit => ({ kind: 'remove', part: number }))
    expectIs(run.dialect.edit(item, removals), undefined)
    const absent: PartEdit = { kind: 'remove', part: part % 2 === 0 ? view.parts.length : -1 }
    expectSame(
      codeOf(() => run.dialect.edit(item, [absent])),
      'plan-mismatch',
    )
  })
}

function codeOf(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error instanceof PalimpsestError ? error.code : error
  }
}

function printsAlike(run: LawRun): undefined {
  const { dialect, options } = run
  forSomePart(run, (item, view, part) => {
    const print = dialect.fingerprint(item)
    expectIs(dialect.fingerprint(reversedKeys(item) as object), print)
    expectIs(dialect.fingerprint({ ...item, x_law: 1 }) === print, false)
    for (const field of options.unseen?.fields ?? []) expectIs(dialect.fingerprint({ ...item, [field]: 'x' }), print)
    const before = at(view.parts, part)
    if (!before.editable || before.text() === 'more' || before.kind === 'tool-call') return
    const edited = dialect.edit(item, [{ kind: 'replace-text', part, text: 'more' }])
    expectIs(edited !== undefined && dialect.fingerprint(edited) === print, false)
  })
}

/** Parts of each request that a law about one part looks at: more would cost more than it shows. */
const PARTS_OF_A_RUN = 2

function forSomePart(
  { items, views, dice }: LawRun,
  see: (item: object, view: MessageView, part: number) => void,
): undefined {
  for (let seen = 0; seen < PARTS_OF_A_RUN; seen++) {
    const position = dice(items.length)
    const view = at(views, position)
    if (view.parts.length > 0) see(at(items, position), view, dice(view.parts.length))
  }
}
