import { DIG, LOW, NL, OTHER, PUN, SP, TAB, UP } from './char-classes.ts'
import type { Weight } from './feature-weights.ts'

/**
 * The scan of ASCII text as a table: for each state (what run the last character stands in, how long it is, what stood
 * before) and each class of the next character, the cost and the next state. One look-up a character instead of a
 * branch for every rule. `counted-features.test-data.ts` says the same rules once more, run by run, and the two are compared.
 */
export interface ScanTable {
  /** At `state << 3 | class`: `cost << 8 | next state`. Costs in 1/1024 token; a cost may take back an earlier one. */
  readonly cells: Int32Array
  /** How many classes there are columns for. */
  readonly asciiClasses: number
  /** States from here on are runs that reached `LONG_RUN`: the table cannot count further. */
  readonly firstLong: number
  /** Where the scan begins: nothing stands before. */
  readonly start: number
  /** A run of no consequence stands before. */
  readonly glued: number
  /** By state of a long run: the state of the same run one character shorter, from which what follows costs the same. */
  readonly shorter: Uint8Array
}

/** Lengths at which a run leaves the table, by class; each is where its costs have become regular. */
export const LONG_RUN: Readonly<Record<number, number>> = {
  [UP]: 16,
  [PUN]: 9,
  [DIG]: 16,
  [SP]: 16,
  [NL]: 9,
  [TAB]: 14,
}

/** The run the last character stands in. `tail` is the part of a word behind its capitals. */
type Run = 'none' | 'tail' | 'capitals' | 'punctuation' | 'digits' | 'spaces' | 'newlines' | 'tabs'

interface State {
  readonly run: Run
  /** Characters so far; of a word, its capitals included and at most `WORD`. */
  readonly length: number
  /** What stood before the run, where a later cost depends on it. */
  readonly after?: 'line' | 'punctuation' | 'space'
}

interface Step {
  readonly cost: number
  readonly next: State
}

/** Words cost the same for every further character from here on. */
const WORD = 7
const GLUED: State = { run: 'none', length: 0 }
const START: State = { run: 'none', length: 0, after: 'line' }

export function buildScanTable(weight: Weight): ScanTable {
  const states = reachableStates(weight)
  const place = new Map(states.map((state, index) => [nameOf(state), index]))
  const indexOf = (state: State) => place.get(nameOf(state)) ?? 0
  const cells = new Int32Array(states.length * 8)
  states.forEach((state, index) => {
    for (let kind = LOW; kind <= OTHER; kind++) {
      const { cost, next } = step(state, kind, weight)
      cells[(index << 3) | kind] = (cost << 8) | indexOf(next)
    }
  })
  return {
    cells,
    asciiClasses: OTHER,
    firstLong: states.findIndex(isLong),
    start: indexOf(START),
    glued: indexOf(GLUED),
    shorter: Uint8Array.from(states, (state) => indexOf({ ...state, length: state.length - 1 })),
  }
}

/** All states, those of long runs last. */
function reachableStates(weight: Weight): readonly State[] {
  const found = new Map<string, State>()
  const open: State[] = [START, GLUED]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (found.has(nameOf(state))) continue
    found.set(nameOf(state), state)
    if (isLong(state)) continue
    for (let kind = LOW; kind <= OTHER; kind++) open.push(step(state, kind, weight).next)
  }
  return [...found.values()].sort((a, b) => Number(isLong(a)) - Number(isLong(b)))
}

const CLASS_OF_RUN: Readonly<Partial<Record<Run, number>>> = {
  capitals: UP,
  punctuation: PUN,
  digits: DIG,
  spaces: SP,
  newlines: NL,
  tabs: TAB,
}

function isLong({ run, length }: State): boolean {
  const kind = CLASS_OF_RUN[run]
  return kind !== undefined && length === LONG_RUN[kind]
}

function nameOf({ run, length, after }: State): string {
  return `${run} ${length} ${after ?? ''}`
}

/** What a character of class `kind` costs behind `state`, pairs of characters aside. */
function step(state: State, kind: number, weight: Weight): Step {
  const left = leave(state, kind, weight)
  const { cost, next } = enter(state, kind, weight)
  return { cost: left + cost, next }
}

/** One space, or one punctuation character, is paid for when it is known what follows. */
function leave({ run, length, after }: State, kind: number, weight: Weight): number {
  if (length !== 1) return 0
  const beforeWord = kind === LOW || kind === UP
  if (run === 'spaces') return beforeWord || kind === PUN || kind === DIG || kind === SP ? 0 : weight('s1_o')
  if (run !== 'punctuation' || kind === PUN) return 0
  return beforeWord && after !== 'space' ? weight('p1_word') : weight('p1')
}

function enter(state: State, kind: number, weight: Weight): Step {
  if (kind === LOW) return tail(state, weight)
  if (kind === UP) return capital(state, weight)
  if (kind === PUN) return punctuation(state, weight)
  if (kind === DIG) return digit(state, weight)
  if (kind === SP) return space(state, weight)
  if (kind === NL) return newline(state, weight)
  if (kind === TAB) return tab(state, weight)
  return { cost: 0, next: GLUED }
}

function tail(state: State, weight: Weight): Step {
  const { run, length } = state
  if (run !== 'tail' && run !== 'capitals') return { cost: wordStart(state, weight), next: { run: 'tail', length: 1 } }
  const cost = lengthCost(length + 1, weight)
  const next: State = { run: 'tail', length: Math.min(length + 1, WORD) }
  if (run === 'tail' || length === 1) return { cost, next }
  // Capitals with a tail are a mixed word: what they cost as a word of capitals is taken back.
  return { cost: cost + weight('w_mixed') - (length - 2) * weight('u_ch'), next }
}

function capital(state: State, weight: Weight): Step {
  const { run, length } = state
  if (run !== 'capitals') {
    return { cost: wordStart(state, weight) + weight('w_title'), next: { run: 'capitals', length: 1 } }
  }
  const cost = lengthCost(length + 1, weight) + (length === 1 ? -weight('w_title') : weight('u_ch'))
  return { cost, next: { run: 'capitals', length: length + 1 } }
}

function wordStart({ run, length, after }: State, weight: Weight): number {
  if (run === 'spaces') return weight('w_sp') + (length === 1 ? weight('s1_w') : 0)
  return run === 'punctuation' && length === 1 && after !== 'space' ? weight('w_p1') : weight('w_gl')
}

/** What the character that makes a word this long adds for its length. */
function lengthCost(length: number, weight: Weight): number {
  return (length > 4 ? weight('l5') : 0) + (length > 7 ? weight('l8') : 0)
}

function punctuation({ run, length }: State, weight: Weight): Step {
  if (run === 'spaces') return { cost: weight('p_sp'), next: { run: 'punctuation', length: 1, after: 'space' } }
  if (run !== 'punctuation') return { cost: 0, next: { run: 'punctuation', length: 1 } }
  return { cost: length === 1 ? weight('p_run') : 0, next: { run, length: length + 1 } }
}

function digit({ run, length }: State, weight: Weight): Step {
  const third = (run === 'digits' ? length : 0) % 3 === 0 ? weight('d_c3') : 0
  const cost = weight('d_ch') + third
  if (run === 'digits') return { cost, next: { run, length: length + 1 } }
  const start = weight('d_run') + (run === 'spaces' ? weight('d_sp') : 0)
  return { cost: cost + start, next: { run: 'digits', length: 1 } }
}

function space({ run, length, after }: State, weight: Weight): Step {
  if (run !== 'spaces') {
    const before = run === 'newlines' || after === 'line' ? 'line' : run === 'punctuation' ? run : undefined
    return { cost: 0, next: { run: 'spaces', length: 1, ...(before === undefined ? {} : { after: before }) } }
  }
  const start = length === 1 ? weight(after === 'line' ? 'in_run' : 'si_run') : 0
  const sixteenth = length + 1 === LONG_RUN[SP] ? weight('s_16') : 0
  const next = { run, length: length + 1 }
  return { cost: start + sixteenth, next: after === 'punctuation' ? { ...next, after } : next }
}

function newline({ run, length, after }: State, weight: Weight): Step {
  if (run === 'newlines') {
    const cost = length === 1 ? weight('n_multi') : length < 8 ? weight('n_ch') : 0
    return { cost, next: { run, length: length + 1 } }
  }
  const afterPunctuation = run === 'punctuation' || after === 'punctuation'
  return { cost: weight(afterPunctuation ? 'n_p' : 'n_o'), next: { run: 'newlines', length: 1 } }
}

function tab({ run, length }: State, weight: Weight): Step {
  if (run !== 'tabs') return { cost: weight('t_run'), next: { run: 'tabs', length: 1 } }
  return { cost: length < 13 ? weight('t_ch') : 0, next: { run, length: length + 1 } }
}
