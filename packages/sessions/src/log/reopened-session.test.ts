import fc from 'fast-check'
import { anthropicMessages, type Compactor, createCompactor, memoryStores } from 'palimpsest'
import { expect, it } from 'vitest'
import { memorySessions } from './memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, userSays } from './session.test-data.ts'
import { Session } from './session.ts'

const MODEL = 'claude-sonnet-4-5'
const WINDOW = 12_000
const FRAME = { model: MODEL, max_tokens: 1_000, system: 'Tidy the files, and never touch the database.', messages: [] }

/** What happened, in all runs together. */
const seen = { compacted: 0, reopened: 0, rewound: 0 }

interface Step {
  readonly characters: number
  /** At which of the places between two commits the process ends and another one goes on. */
  readonly reopensAt: readonly number[]
  readonly endsTurn: boolean
  /** How far it goes back before it, as a share of the log. */
  readonly rewinds: number | undefined
}

const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  characters: fc.integer({ min: 40, max: 9_000 }),
  reopensAt: fc.subarray([0, 1, 2, 3]),
  endsTurn: fc.boolean(),
  rewinds: fc.constant(undefined),
})

const rewoundStep: fc.Arbitrary<Step> = fc
  .tuple(arbitraryStep, fc.option(fc.double({ min: 0.3, max: 1, noNaN: true }), { freq: 4, nil: undefined }))
  .map(([step, rewinds]) => ({ ...step, rewinds }))

const arbitraryRatio = fc.double({ min: 2.4, max: 5, noNaN: true })

it('E7 sends the same bytes, and goes on with the same log, wherever it was reopened between two commits', async () => {
  const steps = fc.array(arbitraryStep, { minLength: 6, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(steps, arbitraryRatio, async (plan, charactersPerToken) => {
      const stayed = await Agent.start(charactersPerToken)
      const moved = await Agent.start(charactersPerToken)
      for (const [number, step] of plan.entries()) {
        const sent = await stayed.step(number, { ...step, reopensAt: [] })
        expect(await moved.step(number, step)).toBe(sent)
      }
      expect(moved.session.place).toEqual(stayed.session.place)
    }),
    { numRuns: 20, endOnFailure: true },
  )
  expect(seen.compacted).toBeGreaterThan(10)
  expect(seen.reopened).toBeGreaterThan(10)
})

it('shows what is sent, wherever it went back to', async () => {
  const steps = fc.array(rewoundStep, { minLength: 6, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(steps, arbitraryRatio, async (plan, charactersPerToken) => {
      const agent = await Agent.start(charactersPerToken)
      for (const [number, step] of plan.entries()) await agent.step(number, step)
    }),
    { numRuns: 20, endOnFailure: true },
  )
  expect(seen.rewound).toBeGreaterThan(10)
})

/** An agent that writes its session, and asks a compactor what to send. */
class Agent {
  readonly #sessions = memorySessions().open()
  readonly #stores = memoryStores()
  readonly #charactersPerToken: number
  #session: Session
  #compactor: Compactor<unknown>
  #time = 1_700_000_000_000

  private constructor(session: Session, charactersPerToken: number) {
    this.#session = session
    this.#charactersPerToken = charactersPerToken
    this.#compactor = this.#newCompactor()
  }

  static async start(charactersPerToken: number): Promise<Agent> {
    const placeholder = memorySessions().open()
    const options = { dialect: anthropic, model: MODEL, frame: FRAME, now: () => 1 }
    const agent = new Agent(await Session.create(placeholder, 's', options), charactersPerToken)
    agent.#session = await Session.create(agent.#sessions, 's', { ...options, now: agent.#now })
    agent.#session.startTurn()
    agent.#session.appendItems([userSays('Tidy src/file-1.ts. Never touch the database.')])
    await agent.#session.commit()
    return agent
  }

  get session(): Session {
    return this.#session
  }

  async step(number: number, { characters, reopensAt, endsTurn, rewinds }: Step): Promise<string> {
    const between = async (place: number) => {
      await this.#session.commit()
      if (reopensAt.includes(place)) await this.#reopen()
    }
    if (rewinds !== undefined) await this.#rewind(rewinds)
    await between(0)
    this.#session.appendItems([toolCall(`toolu_${number}`)])
    this.#session.appendItems([toolResult(`toolu_${number}`, `line ${number} of the file\n`.repeat(characters / 20))])
    await between(1)
    const sent = await this.#ask(between)
    if (endsTurn) await this.#endTurn(number)
    await between(3)
    return sent
  }

  /** What is sent; the session's own view is the same. */
  async #ask(between: (place: number) => Promise<void>): Promise<string> {
    const request = { ...FRAME, messages: await this.#session.transcript() }
    const prepared = await this.#compactor.prepare(request, this.#session.forCompactor)
    if (prepared.record !== undefined) this.#session.applyCompaction(prepared.record)
    if (prepared.compacted) seen.compacted += 1
    await between(2)
    const sent = anthropic.open(prepared.request).items
    expect(JSON.stringify(await this.#session.view())).toBe(JSON.stringify(sent))
    const input = Math.ceil(JSON.stringify(prepared.request).length / this.#charactersPerToken)
    prepared.observe({ type: 'message', content: [], usage: { input_tokens: input, output_tokens: 5 } })
    prepared.done()
    const usage = { input, cacheRead: 0, cacheWrite: 0, output: 5 }
    this.#session.recordUsage({ purpose: 'chat', usage, model: MODEL, learned: prepared.learned() })
    return JSON.stringify(prepared.request)
  }

  async #endTurn(number: number): Promise<void> {
    this.#session.appendItems([modelSays(`Done with ${number}.`)])
    await this.#session.endTurn('answered')
    this.#session.startTurn()
    this.#session.appendItems([userSays(`And now file-${number}.`)])
  }

  /** To where a turn had just begun. */
  async #rewind(share: number): Promise<void> {
    const log = await this.#sessions.read('s')
    const asked = log.filter((entry, n) => entry.type === 'message-appended' && log[n - 1]?.type === 'turn-started')
    const target = asked[Math.floor(share * (asked.length - 1))]
    if (target === undefined) return
    await this.#session.rewind(target.seq)
    seen.rewound += 1
  }

  async #reopen(): Promise<void> {
    this.#session = await Session.open(this.#sessions, 's', { now: this.#now })
    this.#compactor = this.#newCompactor()
    seen.reopened += 1
  }

  #newCompactor(): Compactor<unknown> {
    return createCompactor<unknown>({
      dialect: anthropicMessages as never,
      window: WINDOW,
      stores: this.#stores,
      cache: 'off',
      now: () => 1,
    })
  }

  readonly #now = () => (this.#time += 1)
}
