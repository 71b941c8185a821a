import type { Fault, Reply } from '@palimpsest/wirelab'
import fc from 'fast-check'
import { type AiSdkMessage, aiSdk } from 'palimpsest'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../loop/agent-event.ts'
import { benches, calls, says } from './agent.test-data.ts'

const bench = benches()

const FILES = Object.fromEntries(
  Array.from({ length: 5 }, (_, n) => [`f${n}.txt`, `file ${n} has line after line of it\n`.repeat(300)]),
)

const reply = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }).map((n) => calls(['read_file', { path: `f${n}.txt` }])) },
  { weight: 1, arbitrary: fc.constant(calls(['compact_conversation', {}])) },
  {
    weight: 1,
    arbitrary: fc.constant(
      calls(['no_such_tool', { a: 1 }], ['read_file', { wrong: true }], ['bash', { command: 'echo $((6*7)); exit 4' }]),
    ),
  },
  { weight: 2, arbitrary: fc.string({ minLength: 1 }).map((text) => says(`I say ${text}.`)) },
  { weight: 1, arbitrary: fc.constant<Reply>({ parts: [] }) },
)

const fault = fc.record({
  kind: fc.constantFrom<Fault[]>(
    { kind: 'overflow', when: 'before-first-byte' },
    { kind: 'overflow', when: 'before-content' },
    { kind: 'overflow', when: 'mid-stream' },
    { kind: 'reasoning-bound' },
    { kind: '413' },
  ),
  after: fc.integer({ min: 0, max: 8 }),
})

/** What a person does: cancels the turn, or a compaction, at so many events of this kind. */
const act = fc.option(
  fc.record({
    on: fc.constantFrom<AgentEvent['type'][]>(
      'text-delta',
      'tool-call',
      'tool-result',
      'compaction-started',
      'step-ended',
    ),
    at: fc.integer({ min: 1, max: 4 }),
    what: fc.constantFrom('cancel-turn', 'cancel-compaction'),
  }),
  { nil: undefined },
)

const run = fc.record({
  replies: fc.array(reply, { minLength: 1, maxLength: 12 }),
  faults: fc.array(fault, { maxLength: 2 }),
  act,
  turns: fc.integer({ min: 1, max: 3 }),
})

test('whatever happens in a turn, the session is whole, its view legal, and each start has one end', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ replies, faults, act: planned, turns }) => {
      const controller = new AbortController()
      let seen = 0
      const { start, events } = await bench({
        files: FILES,
        window: 24_000,
        script: ({ answered }) => replies[answered % replies.length] ?? says('.'),
        faults: faults.map(({ kind, after }) => ({ ...kind, after, only: 'main' })),
        config: { maxSteps: 8 },
        onEvent: (event) => {
          if (planned === undefined || event.type !== planned.on) return
          seen += 1
          if (seen !== planned.at) return
          if (planned.what === 'cancel-turn') controller.abort()
          else if (event.type === 'compaction-started') event.cancel()
        },
      })
      const agent = await start()
      for (let turn = 1; turn <= turns; turn++) {
        const result = await agent.send(`Turn ${turn}`, { signal: controller.signal })
        expect(['answered', 'failed', 'cancelled']).toContain(result.outcome)
        expect(result.error !== undefined).toBe(result.outcome === 'failed')
        const { turnOpen, running } = agent.session.snapshot
        expect({ turnOpen, running }).toEqual({ turnOpen: false, running: [] })
        await expectWhole(await agent.session.transcript())
        const view = (await agent.session.view()) as AiSdkMessage[]
        expect(aiSdk.check({ ...aiSdk.open({ prompt: [] }), items: view })).toEqual([])
        for (const text of result.texts)
          expect(JSON.stringify(await agent.session.transcript())).toContain(JSON.stringify(text).slice(1, -1))
      }
      expectPaired(events)
      expectShown(events, JSON.stringify(await agent.session.transcript()))
    }),
    { numRuns: 25 },
  )
})

/** Every call has its result, right behind it, and no result stands alone. */
async function expectWhole(items: readonly object[]): Promise<void> {
  const ids = (item: object, type: string) =>
    (item as { content: { type: string; toolCallId: string }[] }).content.flatMap((part) =>
      part.type === type ? part.toolCallId : [],
    )
  const called = items.flatMap((item) => ids(item, 'tool-call'))
  const answered = items.flatMap((item) => ids(item, 'tool-result'))
  expect(answered).toEqual(called)
}

function expectPaired(events: readonly AgentEvent[]): void {
  const started = events.flatMap((event) => (event.type === 'compaction-started' ? event.id : []))
  const ends = events.flatMap((event) =>
    'id' in event && /^compaction-(applied|failed|cancelled)$/.test(event.type) ? event.id : [],
  )
  expect(ends).toEqual(started)
  const turns = events.map(({ type }) => type).filter((type) => type === 'turn-started' || type === 'turn-ended')
  expect(turns.every((type, at) => type === (at % 2 === 0 ? 'turn-started' : 'turn-ended'))).toBe(true)
}

/** What was shown and not withdrawn stands in the session, in order. */
function expectShown(events: readonly AgentEvent[], stored: string): void {
  let step = ''
  const shown: string[] = []
  for (const event of events) {
    if (event.type === 'text-delta') step += event.text
    if (event.type === 'rewind') step = ''
    if (event.type === 'step-ended' || event.type === 'turn-ended') {
      if (step.trim() !== '') shown.push(step)
      step = ''
    }
  }
  let from = 0
  for (const text of shown) {
    const at = stored.indexOf(JSON.stringify(text).slice(1, -1), from)
    expect(at).toBeGreaterThanOrEqual(from)
    from = at + 1
  }
}
