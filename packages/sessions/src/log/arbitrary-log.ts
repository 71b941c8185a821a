import fc from 'fast-check'
import type { CompactionRecord } from 'palimpsest'
import { chainEntries } from './entry-chain.ts'
import { stateAfter } from './fold-session.ts'
import type { EntryBody, SessionEntry, SessionSnapshot } from './session-entry.ts'

/** Texts that some stores cannot hold as they are: NUL characters, halves of surrogate pairs, quotes, marks of byte order. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '\n', '\\', '"', '\ufeff', '\0', 'a'), maxLength: 12 }),
)

/** Ids that lead out of a folder, name devices, or look alike to some system. */
export const arbitraryId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '.', '..', '../', '/etc/passwd', 'a\\..\\b', 'con', 'A', 'a', '\0', '__proto__', '%2e', '%', '_'),
  fc.constantFrom('\ud800', '\udfff', 'x'.repeat(2048), 'é', 'e\u0301', "'; drop table sessions; --"),
  arbitraryText,
)

/** Any JSON value: keys that are a prototype's, numbers at the edge of what a number can be. */
export const arbitraryJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.dictionary(arbitraryText, arbitraryText, { maxKeys: 4 }),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__":{"a":1},"constructor":null,"b":2,"a":1}'),
    [1e308, -1e-308, 5e-324, Number.MAX_SAFE_INTEGER + 2, 1e21, 0.1],
    { z: 1, a: { y: [], x: {} }, '': null, '10': 1, '9': 2 },
  ),
)

/** One thing that happens in a session; whether it can happen where it stands is seen when the log is made. */
type LogStep =
  | { readonly does: 'say'; readonly item: unknown; readonly injected: boolean }
  | { readonly does: 'turn' }
  | { readonly does: 'act'; readonly action: string; readonly data: unknown }
  | { readonly does: 'compact'; readonly share: number; readonly text: string }
  | { readonly does: 'show'; readonly text: string }
  | { readonly does: 'use'; readonly tokens: number; readonly model: string; readonly learned: unknown }
  | { readonly does: 'rewind'; readonly share: number }
  | { readonly does: 'checkpoint' }

const share = fc.double({ min: 0, max: 1, noNaN: true })

const arbitraryStep: fc.Arbitrary<LogStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constant('say' as const), item: arbitraryJson, injected: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.constant({ does: 'turn' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('act' as const),
      action: fc.constantFrom('a', 'b', '__proto__'),
      data: arbitraryJson,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('compact' as const), share, text: arbitraryText }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('show' as const), text: arbitraryText }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('use' as const),
      tokens: fc.nat(1_000_000),
      model: fc.constantFrom('m', '__proto__'),
      learned: arbitraryJson,
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rewind' as const), share }) },
  { weight: 1, arbitrary: fc.constant({ does: 'checkpoint' } as const) },
)

/**
 * Whole logs that are sound: entries of every type, rewinds (also such as take back a rewind) and checkpoints among them. As
 * the contract asks, a checkpoint stands right behind a rewind that goes back before the last one.
 */
export const arbitraryLog: fc.Arbitrary<readonly SessionEntry[]> = fc
  .record({
    text: fc.option(arbitraryText, { nil: undefined }),
    frame: arbitraryJson,
    steps: fc.array(arbitraryStep, { maxLength: 24 }),
  })
  .map(({ text, frame, steps }) => {
    const log = new GrowingLog()
    const named = text === undefined ? {} : { model: text, cwd: text, title: text }
    log.add({ type: 'session-started', dialect: 'anthropic-messages', toolResults: 'full', frame, ...named })
    for (const step of steps) addStep(log, step)
    return log.entries
  })

class GrowingLog {
  readonly entries: SessionEntry[] = []
  readonly #states: SessionSnapshot[] = []
  lastCheckpoint = 0

  get state(): SessionSnapshot {
    const state = this.#states.at(-1)
    if (state === undefined) throw new TypeError('The log has no entry yet.')
    return state
  }

  add(body: EntryBody): void {
    const at = 1_700_000_000_000 + this.entries.length * 7
    const [entry] = chainEntries([body], { after: this.entries.at(-1), at })
    if (entry === undefined) return
    this.#states.push(stateAfter(this.#states.at(-1), entry, (seq) => this.#states[seq - 1]))
    this.entries.push(entry)
    if (body.type === 'checkpoint') this.lastCheckpoint = entry.seq
  }
}

function addStep(log: GrowingLog, step: LogStep): void {
  if (step.does !== 'rewind') {
    log.add(stepBody(log.state, step))
    return
  }
  const to = 1 + Math.floor(step.share * (log.entries.length - 1))
  log.add({ type: 'rewound', to })
  if (to < log.lastCheckpoint) log.add({ type: 'checkpoint', state: log.state })
}

function stepBody(state: SessionSnapshot, step: Exclude<LogStep, { readonly does: 'rewind' }>): EntryBody {
  switch (step.does) {
    case 'say': {
      const { item, injected } = step
      return { type: 'message-appended', position: state.length, item, ...(injected && { injected: true as const }) }
    }
    case 'turn':
      return state.turnOpen ? { type: 'turn-ended', outcome: 'answered' } : { type: 'turn-started' }
    case 'act':
      return actionStep(state, step)
    case 'compact': {
      const record = toyRecord(Math.floor(step.share * state.length), state.length, step.text)
      return { type: 'compaction-applied', record }
    }
    case 'show':
      return { type: 'display-segment', role: 'notice', text: step.text }
    case 'use': {
      const { tokens, model, learned } = step
      const usage = { input: tokens, cacheRead: 1, cacheWrite: 2, output: 3 }
      return { type: 'usage-recorded', purpose: 'chat', usage, model, learned }
    }
    case 'checkpoint':
      return { type: 'checkpoint', state }
  }
}

function actionStep({ running }: SessionSnapshot, { action, data }: LogStep & { readonly does: 'act' }): EntryBody {
  return running.some((one) => one.action === action)
    ? { type: 'action-completed', action, status: 'ok', output: data }
    : { type: 'action-requested', action, kind: 'tool', name: 'run', input: data }
}

function toyRecord(extent: number, length: number, text: string): CompactionRecord {
  return {
    key: `record of ${extent} and ${length}`,
    anchor: text,
    extent,
    length,
    plan: { drop: [{ from: 0, to: extent }], summaries: [{ insert_after: extent - 1, content: text }] },
    strategy: 'toy',
    reason: 'manual',
    at_turn: 0,
    kept_from: extent,
    tokens_before: 2,
    tokens_after: 1,
  }
}
