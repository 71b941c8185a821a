// Needed-later recall: after a compaction, how much of what the agent then used was still in view? Replays recorded
// sessions, takes each compaction that their client made, writes our briefing of everything before it instead, and looks
// at the next 60 calls. Needs no model.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dialectByName } from '../packages/palimpsest/dist/dialects/index.js'
import { renderBriefing } from '../packages/palimpsest/dist/engine/manifest/briefing.js'
import { COMMON_NAMES } from '../packages/palimpsest/dist/engine/manifest/common-names.js'
import { createManifest } from '../packages/palimpsest/dist/engine/manifest/manifest.js'
import { occursIn, visitNames } from '../packages/palimpsest/dist/engine/manifest/names-in-text.js'
import { referencesOfCall, withoutFolder } from '../packages/palimpsest/dist/engine/manifest/references.js'
import { readToolCall } from '../packages/palimpsest/dist/engine/manifest/tool-call.js'
import { importSessionText } from '../packages/sessions/dist/index.js'

export const BUDGETS = [1_000, 2_000, 4_000, 7_000, 13_000]
const MOST_CALLS = 60
const FEWEST_CALLS = 5
/** An identifier belongs to a file whose name stands within so many characters of it. */
const ANCHOR_REACH = 400
const FOLDERS = ['claude-code', 'codex-rollout', 'pi-session']

/** Tokens as this measure counts them: four characters each. */
export const tokens = (text) => Math.ceil(text.length / 4)

export async function run({ corpus = join(import.meta.dirname, '../../shared/corpus') } = {}) {
  if (!existsSync(corpus)) return { columns: ['skipped'], rows: [[`no recorded sessions at ${corpus}`]] }
  const events = sessionFiles(corpus).flatMap((file) => eventsOf(loadSession(file), basename(file)))
  const measured = events.map((event) => measureEvent(event))
  return { columns: COLUMNS, rows: rowsOf(measured), events: measured }
}

export const COLUMNS = [
  'budget',
  'half',
  'events',
  'strict',
  'inclusive',
  'lost',
  'anchored',
  'names strict',
  'names inclusive',
  'path',
  'ident',
  'id',
  'exact',
]

/** The transcript of a session file as the engine sees it. */
function loadSession(file) {
  const session = importSessionText(readFileSync(file, 'utf8'))
  const { view } = dialectByName(session.dialect)
  return { items: session.items.map(({ item }) => view(item)), compactions: session.compactions, cwd: session.cwd }
}

export function sessionFiles(corpus) {
  return FOLDERS.filter((folder) => existsSync(join(corpus, folder))).flatMap((folder) =>
    readdirSync(join(corpus, folder))
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => join(corpus, folder, name)),
  )
}

/** One event per compaction that at least five calls follow: what came before it, and the references of what came after. */
export function eventsOf(
  session,
  name,
  positions = session.compactions.filter((c) => c.kind !== 'micro').map((c) => c.position),
) {
  const cuts = [...new Set(positions)].sort((a, b) => a - b)
  return cuts.flatMap((position, at) => {
    const after = callsBetween(session.items, position, cuts[at + 1] ?? session.items.length)
    if (after.length < FEWEST_CALLS) return []
    return [
      {
        name,
        half: halfOf(name),
        position,
        items: session.items,
        folder: session.cwd ?? '',
        calls: after.slice(0, MOST_CALLS),
      },
    ]
  })
}

/** Half of the sessions is for tuning (0), half for the report (1), by a hash of the file name. */
export function halfOf(name) {
  let hash = 2166136261
  for (const char of name) hash = Math.imul(hash ^ char.codePointAt(0), 16777619) >>> 0
  return (hash >>> 7) % 2
}

export function measureEvent(event, render = renderBriefing) {
  const manifest = createManifest()
  for (let at = 0; at < event.position; at += 1) manifest.add(at, event.items[at])
  const needs = neededReferences(event)
  const files = filesOfNames(event, needs)
  const byBudget = BUDGETS.map((budget) => {
    const view = render(manifest, { budget, estimate: tokens, upTo: event.position })
    return { budget, tokens: tokens(view), ...recallOf(needs, files, view, event.folder) }
  })
  return {
    name: event.name,
    position: event.position,
    half: event.half,
    calls: event.calls.length,
    references: needs.length,
    byBudget,
  }
}

/** References that history holds and that nobody could guess, each at its first use, with whether they were shown again before it. */
export function neededReferences(event) {
  const history = textsOf(event.items.slice(0, event.position)).join('\n')
  const guessable = textsOf(
    event.items.slice(0, event.position),
    (part, item) => item.role === 'system' || part.injected,
  ).join('\n')
  const needs = new Map()
  let shown = ''
  let shownTo = event.position
  for (const { position, call } of event.calls) {
    shown += textsOf(event.items.slice(shownTo, position), isNotOfAssistant).join('\n')
    shownTo = position
    for (const reference of referencesOfCall(call, event.folder)) {
      if (needs.has(reference.text) || isGuessable(reference, guessable, event.folder)) continue
      if (!occursIn(history, reference.text)) continue
      needs.set(reference.text, { ...reference, relearned: occursIn(shown, reference.text) })
    }
  }
  return [...needs.values()]
}

function isGuessable(reference, guessable, folder) {
  return COMMON_NAMES.has(reference.text) || occursIn(folder, reference.text) || occursIn(guessable, reference.text)
}

function isNotOfAssistant(part, item) {
  return part.kind === 'tool-result' || item.role !== 'assistant'
}

/** Texts of parts, calls with their arguments decoded, reasoning left out. */
function textsOf(items, wanted = () => true) {
  return items.flatMap((item) =>
    item.parts.flatMap((part) => {
      if (!wanted(part, item) || (part.kind !== 'text' && part.kind !== 'tool-call' && part.kind !== 'tool-result'))
        return []
      if (part.kind !== 'tool-call') return [part.text()]
      const call = readToolCall(part.toolName ?? '', part.text())
      return [call.targetText, call.otherText]
    }),
  )
}

function callsBetween(items, from, upTo) {
  return items
    .slice(from, upTo)
    .flatMap((item, at) =>
      item.parts
        .filter((part) => part.kind === 'tool-call')
        .map((part) => ({ position: from + at, call: readToolCall(part.toolName ?? '', part.text()) })),
    )
}

/** For each needed identifier the files that it was read or edited with in history. */
function filesOfNames(event, needs) {
  const wanted = new Set(needs.filter((need) => need.kind === 'ident').map((need) => need.text))
  const files = new Map([...wanted].map((name) => [name, new Set()]))
  const paths = new Map()
  for (const item of event.items.slice(0, event.position)) {
    for (const part of item.parts) {
      if (part.kind === 'tool-call') {
        const call = readToolCall(part.toolName ?? '', part.text())
        const named = call.paths.map((path) => withoutFolder(path, event.folder))
        paths.set(part.callId, named)
        if (call.action === 'change') addFiles(files, wanted, call.otherText, named)
      } else if (part.kind === 'tool-result') addFiles(files, wanted, part.text(), paths.get(part.callId) ?? [])
    }
  }
  return files
}

function addFiles(files, wanted, text, paths) {
  if (paths.length === 0) return
  visitNames(text, (kind, name) => {
    if (kind === 'ident' && wanted.has(name)) for (const path of paths) files.get(name).add(path)
  })
}

function recallOf(needs, files, view, folder) {
  const shownIn = viewReader(view, folder)
  const seen = needs.map((need) => ({ ...need, visible: shownIn(need) }))
  // Exact strings are in no list of names, whatever its length: the names alone are told beside the whole.
  const names = seen.filter((need) => need.kind !== 'exact')
  const kind = (name) => shareOf(seen.filter((need) => need.kind === name))
  const anchored = seen
    .filter((need) => need.kind === 'ident')
    .map((need) => ({ visible: isAnchored(need.text, files.get(need.text) ?? [], view) }))
  return {
    strict: shareOf(seen.filter(isFresh)),
    inclusive: shareOf(seen),
    lost: seen.length === 0 ? undefined : seen.filter((need) => !need.visible && need.relearned).length / seen.length,
    'names strict': shareOf(names.filter(isFresh)),
    'names inclusive': shareOf(names),
    anchored: shareOf(anchored),
    path: kind('path'),
    ident: kind('ident'),
    id: kind('id'),
    exact: kind('exact'),
  }
}

/** A path is visible too where the view prints it relative to the folder that it names. */
function viewReader(view, folder) {
  const root = /^Paths are relative to (.+)$/m.exec(view)?.[1]
  const inside = root === undefined ? '' : withoutFolder(root, folder)
  return (need) => {
    if (occursIn(view, need.text)) return true
    const isBelow = need.kind === 'path' && inside !== '' && inside !== root
    return isBelow && need.text.startsWith(`${inside}/`) && occursIn(view, need.text.slice(inside.length + 1))
  }
}

function isAnchored(name, files, view) {
  const names = [...files].map((file) => file.slice(file.lastIndexOf('/') + 1)).filter((file) => file !== '')
  for (let at = view.indexOf(name); at >= 0; at = view.indexOf(name, at + 1)) {
    if (!occursIn(view.slice(Math.max(0, at - 1), at + name.length + 1), name)) continue
    const around = view.slice(Math.max(0, at - ANCHOR_REACH), at + name.length + ANCHOR_REACH)
    if (names.some((file) => occursIn(around, file))) return true
    // Text of a file that is in view again carries its name far above.
    const block = view.lastIndexOf('\n### ', at)
    if (block > view.indexOf('\n## Text of the files') && block > 0) {
      const heading = view.slice(block, view.indexOf('\n', block + 1))
      if (names.some((file) => occursIn(heading, file))) return true
    }
  }
  return false
}

function isFresh(need) {
  return !need.relearned
}

function shareOf(list) {
  return list.length === 0 ? undefined : list.filter((entry) => entry.visible).length / list.length
}

export function rowsOf(measured) {
  return BUDGETS.flatMap((budget, at) =>
    [0, 1, undefined].map((half) => {
      const chosen = measured.filter((event) => half === undefined || event.half === half)
      const mean = (key) =>
        percent(chosen.map((event) => event.byBudget[at][key]).filter((value) => value !== undefined))
      const name = half === undefined ? 'both' : half === 0 ? 'tuned on' : 'held out'
      return [budget, name, chosen.length, ...COLUMNS.slice(3).map(mean)]
    }),
  )
}

function percent(values) {
  return values.length === 0 ? '-' : Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 100)
}
