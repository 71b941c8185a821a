import { type CallRecord, startWirelab, type Wirelab, type WirelabOptions } from '@palimpsest/wirelab'
import type { CompactorEvent } from 'palimpsest'
import { expect, onTestFinished } from 'vitest'
import type { Step } from './steps.test-data.ts'
import { type Answer, type ClientSetup, type KeeperOptions, keeperOf, type Manner, type Way } from './way.test-data.ts'

/** A simulator and a palimpsest in front of it, with all that both of them saw. */
export interface LabRun {
  readonly lab: Wirelab
  readonly setup: ClientSetup
  readonly events: readonly CompactorEvent[]
  /** Events of one type. */
  of<Type extends CompactorEvent['type']>(type: Type): readonly Extract<CompactorEvent, { type: Type }>[]
  /** Calls of the run itself, in order of arrival. */
  readonly main: readonly CallRecord[]
  /** Calls for summaries. */
  readonly summaries: readonly CallRecord[]
}

export interface RunOptions {
  /** Of both sides, unless one of them names its own. */
  readonly window?: number
  readonly lab?: WirelabOptions
  readonly keeper?: KeeperOptions
}

/** A simulator that ends with the test, and a palimpsest in front of it. */
export async function startRun(options: RunOptions = {}): Promise<LabRun> {
  const window = options.window === undefined ? {} : { window: options.window }
  const lab = await startWirelab({ ...window, ...options.lab })
  onTestFinished(() => lab.close())
  return runOn(lab, { ...window, ...options.keeper })
}

/** One more palimpsest in front of a simulator: another process, say. */
export function runOn(lab: Wirelab, options: KeeperOptions): LabRun {
  const events: CompactorEvent[] = []
  const onEvent = (event: CompactorEvent) => {
    events.push(event)
    options.onEvent?.(event)
  }
  const keeper = keeperOf({ ...options, onEvent })
  const callsFor = (purpose: CallRecord['purpose']) =>
    lab.calls.filter((one) => one.kind === 'generate' && one.purpose === purpose)
  return {
    lab,
    setup: { url: lab.url, keeper },
    events,
    of: (type) =>
      events.filter((event): event is Extract<CompactorEvent, { type: typeof type }> => event.type === type),
    get main() {
      return callsFor('main')
    },
    get summaries() {
      return callsFor('summary')
    },
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * The base invariants of all that was sent: B1 and B2, the simulator found no broken rule (pairs, roles, empty parts);
 * B4, no string has half of a surrogate pair. Every compaction that began ended, once.
 */
export function expectSound({ lab, events }: LabRun): void {
  const broken = lab.calls.filter((one) => one.outcome === 'refused' && !/^overflow/.test(one.reason ?? ''))
  expect(broken.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([])
  for (const { body } of lab.calls) expect(strings(body).filter((text) => LONE_SURROGATE.test(text))).toEqual([])
  for (const { id, type } of events) {
    if (type !== 'compaction-started') continue
    const ends = events.filter((one) => one.id === id && /^compaction-(?:applied|failed|cancelled)$/.test(one.type))
    expect(ends).toHaveLength(1)
  }
}

function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(strings) : []
}

/** B3: what was answered fits, its output included where the request says how much that may be. */
export function expectFits({ lab }: LabRun, window: number): void {
  const answered = lab.calls.filter((one) => one.kind === 'generate' && one.outcome === 'answered')
  expect(Math.max(0, ...answered.map((one) => one.tokens))).toBeLessThanOrEqual(window)
}

/** What the tool answers to the arguments of a call. */
export type Tool = (input: Readonly<Record<string, unknown>>, number: number) => string

/** Runs the tool until the model is done. `steps` grows as the conversation does. */
export async function runLoop(
  client: ReturnType<Way['connect']>,
  steps: Step[],
  { tool, manner = 'generate' }: { readonly tool: Tool; readonly manner?: Manner },
): Promise<Answer> {
  for (let number = 0; ; number++) {
    const answer = await client.ask(steps, manner)
    if (answer.calls.length === 0) {
      steps.push({ say: answer.text })
      return answer
    }
    const calls = answer.calls.map((one) => ({ ...one, result: tool(one.input, number) }))
    steps.push({ calls, ...(answer.text !== '' && { say: answer.text }) })
  }
}
