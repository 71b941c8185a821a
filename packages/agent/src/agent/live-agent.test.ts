import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ContextOverflowError, memoryStores } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { benches, calls, ofType, says } from './agent.test-data.ts'

const bench = benches()

/** Text of about so many tokens, none of it like another. */
function prose(tokens: number, about: string): string {
  return Array.from({ length: tokens / 8 }, (_, n) => `${about} line ${n} tells of item ${n * 7}.`).join('\n')
}

describe('a turn', () => {
  test('asks, runs what the model calls, and asks again until it answers; all of it stands in the session', async () => {
    const { start, events, cwd, lab, sessions } = await bench({
      files: { 'a.txt': 'alpha\n' },
      script: [
        { parts: [{ kind: 'text', text: 'I look.' }, ...calls(['read_file', { path: 'a.txt' }]).parts] },
        calls(['write_file', { path: 'b.txt', content: 'beta\n' }], ['bash', { command: 'cat b.txt; exit 3' }]),
        says('Done.'),
      ],
    })
    const agent = await start()
    const result = await agent.send('Make b.')
    expect(result).toEqual({ outcome: 'answered', texts: ['I look.', 'Done.'], steps: 3 })
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('beta\n')
    expect(ofType(events, 'tool-result').map(({ name, failed, exitCode }) => [name, failed, exitCode])).toEqual([
      ['read_file', false, undefined],
      ['write_file', false, undefined],
      ['bash', true, 3],
    ])
    const kept = (await sessions.read(agent.session.id)).flatMap((one) =>
      one.type === 'action-completed' ? [one.output] : [],
    )
    expect(kept).toEqual(ofType(events, 'tool-result').map(({ brief }) => ({ brief })))
    const roles = (await agent.session.transcript()).map((item) => (item as { role: string }).role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'])
    expect(agent.session.snapshot).toMatchObject({
      turn: 1,
      turnOpen: false,
      running: [],
      usage: { chat: { calls: 3 } },
    })
    expect(lab.calls.map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered'])
  })

  test('is not ended by a listener that throws', async () => {
    const { start } = await bench({
      script: () => says('All the same.'),
      onEvent: () => {
        throw new TypeError('a fault of the screen')
      },
    })
    expect(await (await start()).send('Hello')).toMatchObject({ outcome: 'answered', texts: ['All the same.'] })
  })

  test('ends after as many steps as it may, with what it did', async () => {
    const { start } = await bench({ script: () => calls(['list_files', {}]), config: { maxSteps: 3 } })
    const agent = await start()
    const result = await agent.send('Look for ever.')
    expect(result).toMatchObject({ outcome: 'failed', steps: 3, error: { name: 'StepLimitError' } })
    expect(result.error?.hint).toContain('--max-steps')
    expect(agent.session.snapshot).toMatchObject({ length: 7, turnOpen: false })
  })

  test('asks a busy provider again, and withdraws what a broken line had shown', async () => {
    const { start, events } = await bench({
      script: () => says('A whole answer.'),
      faults: [{ kind: '529' }, { kind: 'disconnect' }],
    })
    const result = await (await start()).send('Hello')
    expect(result).toMatchObject({ outcome: 'answered', texts: ['A whole answer.'] })
    expect(ofType(events, 'retry')).toHaveLength(2)
    // what the broken line had shown was taken back before the next attempt showed the same words
    const shown = events.map((event) => (event.type === 'text-delta' ? event.text : event.type === 'rewind' ? '<' : ''))
    expect(shown.join('').split('<').at(-1)).toBe('A whole answer.')
  })

  test('keeps what was shown of an answer that was cancelled, and settles what ran', async () => {
    const controller = new AbortController()
    const { start } = await bench({
      script: () => says('The first words of a long answer.'),
      faults: [{ kind: 'stall' }],
      onEvent: ({ type }) => type === 'text-delta' && controller.abort(),
    })
    const agent = await start()
    const result = await agent.send('Hello', { signal: controller.signal })
    expect(result.outcome).toBe('cancelled')
    const [, answer] = (await agent.session.transcript()) as { content: { text: string }[] }[]
    expect(answer?.content[0]?.text).toBe(result.texts[0])
    expect('The first words of a long answer.').toContain(result.texts[0])
    expect((await agent.send('And now?')).outcome).toBe('answered')
  })

  test('cancelled while tools run, gives every call a result', async () => {
    const controller = new AbortController()
    const { start } = await bench({
      script: [
        calls(['bash', { command: 'echo first' }], ['bash', { command: 'sleep 60; echo second' }], ['list_files', {}]),
        says('I go on.'),
      ],
      onEvent: (event) =>
        event.type === 'tool-call' && JSON.stringify(event.input).includes('sleep') && controller.abort(),
    })
    const agent = await start()
    expect((await agent.send('Run them.', { signal: controller.signal })).outcome).toBe('cancelled')
    const results = (await agent.session.transcript()).slice(2) as { content: { output: { value: string } }[] }[]
    const values = results.flatMap(({ content }) => content.map(({ output }) => output.value))
    expect(values).toHaveLength(3)
    expect(values[0]).toContain('first')
    expect(values.slice(1).every((value) => /interrupted|cancelled/i.test(value))).toBe(true)
    expect((await agent.send('Go on.')).outcome).toBe('answered')
  })
})

/** A model that reads a large file again and again, and then answers. */
function readingLoop(steps: number) {
  let step = 0
  return () => {
    step = (step + 1) % (steps + 1)
    return step === 0 ? says('All is read.') : calls(['read_file', { path: `f${step}.txt` }])
  }
}

const LARGE = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}.txt`, prose(2_400, `file ${n}`)]))

/** A policy that writes a summary at once. */
const SUMMARIES = { config: { policy: 'hango' } } as const

describe('automatic compaction', () => {
  test('F3, F6, E1: nothing is lost or told twice; the meter waits; the model sees the view, the session the whole', async () => {
    const { start, events, lab } = await bench({ script: readingLoop(8), files: LARGE, ...SUMMARIES })
    const agent = await start()
    const meters: unknown[] = []
    expect((await agent.context()).used).toBe('waiting')
    const result = await agent.send('Read all of it.')
    expect(result).toMatchObject({ outcome: 'answered', texts: ['All is read.'], steps: 9 })
    meters.push((await agent.context()).used)
    const started = ofType(events, 'compaction-started')
    const applied = ofType(events, 'compaction-applied')
    expect(started.length).toBeGreaterThan(0)
    expect(applied.map(({ id }) => id)).toEqual(started.map(({ id }) => id))
    for (const { tokensBefore, tokensAfter } of applied) expect(tokensAfter).toBeLessThan(tokensBefore)
    expect(events.some(({ type }) => type === 'rewind' || type === 'summary-delta')).toBe(false)
    expect(agent.session.snapshot.length).toBe(18)
    expect(await agent.session.display()).toHaveLength(18)
    const largest = Math.max(...lab.calls.map(({ tokens }) => tokens))
    expect(largest).toBeLessThan(20_000)
    expect(meters).toEqual([{ tokens: expect.any(Number), kind: 'measured' }])
    const { sources, messages } = await agent.context()
    expect(messages.all).toBe(18)
    expect(messages.inView).toBeLessThan(18)
    expect(sources.summary).toBeGreaterThan(0)
  })

  test('F2: cancelled by its own signal, the turn goes on while the request fits', async () => {
    const { start, events } = await bench({
      script: readingLoop(5),
      files: LARGE,
      window: 60_000,
      config: { contextTriggerFrac: 0.2, policy: 'hango' },
      summarizer: 'stalls',
      onEvent: (event) => event.type === 'compaction-started' && setImmediate(() => event.cancel()),
    })
    const result = await (await start()).send('Read all of it.')
    expect(result.outcome).toBe('answered')
    const started = ofType(events, 'compaction-started')
    expect(ofType(events, 'compaction-cancelled').map(({ id }) => id)).toContain(started[0]?.id)
  })

  test('D4: an overflow behind the first words withdraws them, and the answer to the smaller request stands alone', async () => {
    const { start, events } = await bench({
      script: readingLoop(3),
      files: LARGE,
      window: 60_000,
      faults: [{ kind: 'overflow', when: 'mid-stream', after: 3, only: 'main' }],
    })
    const agent = await start()
    const result = await agent.send('Read all of it.')
    expect(result).toMatchObject({ outcome: 'answered', texts: ['All is read.'] })
    const order = events.map(({ type }) => type).filter((type) => ['rewind', 'compaction-applied'].includes(type))
    expect(order).toEqual(['compaction-applied', 'rewind'])
    const said = JSON.stringify(await agent.session.transcript())
    expect(said.split('All is read.')).toHaveLength(2)
  })

  test('D5: where no smaller request is left, the words that were shown are kept and the error says what to do', async () => {
    const { start, events } = await bench({
      script: () => says('These words were shown.'),
      faults: [{ kind: 'overflow', when: 'mid-stream', times: 9, only: 'main' }],
    })
    const agent = await start()
    const result = await agent.send('Hello')
    expect(result.outcome).toBe('failed')
    expect(result.error).toBeInstanceOf(ContextOverflowError)
    expect(result.error?.hint).toMatch(/larger window|smaller window/)
    expect(result.texts.join()).not.toBe('')
    expect(JSON.stringify(await agent.session.transcript())).toContain(result.texts[0])
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'failed' })
  })

  test('D8: the model may ask for one', async () => {
    const { start, events } = await bench({
      script: [
        calls(['read_file', { path: 'f1.txt' }]),
        calls(['read_file', { path: 'f2.txt' }]),
        calls(['compact_conversation', {}]),
        says('Lean again.'),
      ],
      files: LARGE,
      window: 60_000,
    })
    expect((await (await start()).send('Read two.')).outcome).toBe('answered')
    expect(ofType(events, 'compaction-applied').map(({ reason }) => reason)).toEqual(['tool'])
  })
})

describe('by hand', () => {
  test('F5: a compaction streams its summary and leaves a line in the session, which the model does not see', async () => {
    const { start, events, lab } = await bench({ script: readingLoop(3), files: LARGE, window: 60_000 })
    const agent = await start()
    await agent.send('Read three.')
    expect(await agent.compact({ focus: 'the ports of file 2' })).toBe(true)
    const text = ofType(events, 'summary-delta').reduce((all, { text, restart }) => (restart ? '' : all) + text, '')
    const shown = await agent.session.display()
    expect(shown.at(-1)).toMatchObject({ type: 'display-segment', role: 'notice', text: 'Context compacted.' })
    expect(shown.at(-2)).toMatchObject({ type: 'display-segment', role: 'assistant', text })
    expect(text.length).toBeGreaterThan(100)
    expect((await agent.context()).used).toBe('waiting')
    const asked = lab.calls.find(({ purpose }) => purpose === 'summary')
    expect(asked?.bodyText).toContain('the ports of file 2')
    await agent.send('And?')
    expect(lab.calls.at(-1)?.bodyText).not.toContain('Context compacted.')
    expect(agent.session.snapshot.usage.summarize.calls).toBe(1)
  })

  test('that is left while it is stored has its end before the turn has', async () => {
    const gone = new AbortController()
    const stores = memoryStores()
    const append: typeof stores.history.append = (...entry) => {
      gone.abort()
      return stores.history.append(...entry)
    }
    const { start, events } = await bench({
      ...{ script: readingLoop(3), files: LARGE, window: 60_000 },
      stores: { ...stores, history: { ...stores.history, append } },
    })
    const agent = await start()
    await agent.send('Read three.')
    await expect(agent.compact({ signal: gone.signal })).rejects.toThrow()
    const [started] = ofType(events, 'compaction-started')
    expect(ofType(events, 'compaction-cancelled')).toMatchObject([{ id: started?.id, reason: 'manual' }])
    expect(agent.session.snapshot).toMatchObject({ turnOpen: false, running: [] })
    expect((await agent.send('And?')).outcome).toBe('answered')
    expect(ofType(events, 'compaction-applied')).toEqual([])
  })

  test('undo goes back before a compaction, and before a turn', async () => {
    const { start } = await bench({ script: readingLoop(3), files: LARGE, window: 60_000 })
    const agent = await start()
    await agent.send('Read three.')
    const whole = await agent.session.view()
    await agent.compact()
    expect(await agent.session.view()).not.toEqual(whole)
    const points = await agent.undoPoints()
    expect(points.map(({ kind }) => kind)).toEqual(['compaction', 'turn'])
    expect(points[1]).toMatchObject({ text: 'Read three.' })
    const [compaction, turn] = points
    if (compaction === undefined || turn === undefined) throw new TypeError('nothing to undo')
    await agent.undo(compaction)
    expect(await agent.session.view()).toEqual(whole)
    await agent.undo(turn)
    expect(await agent.session.transcript()).toEqual([])
  })

  test('a fork goes its own way, with the compaction of its origin', async () => {
    const { start, sessions } = await bench({ script: readingLoop(3), files: LARGE })
    const agent = await start()
    await agent.send('Read three.')
    await agent.compact()
    const fork = await agent.fork()
    expect(fork.session.id).not.toBe(agent.session.id)
    expect(await fork.session.view()).toEqual(await agent.session.view())
    await fork.send('Only here.')
    expect(JSON.stringify(await agent.session.transcript())).not.toContain('Only here.')
    expect(await sessions.find(fork.session.id)).toMatchObject({ forked: { from: agent.session.id } })
  })
})

describe('another model', () => {
  test('BB-20, TC-29: a smaller one gets what fits, compacted by the old one first', async () => {
    const { start, model, events, lab } = await bench({ script: readingLoop(6), files: LARGE, window: 60_000 })
    const agent = await start()
    await agent.send('Read six.')
    expect(ofType(events, 'compaction-applied')).toEqual([])
    const before = lab.calls.length
    await agent.setModel(await model(12_000, 'small-model'))
    const [summary, ...others] = lab.calls.slice(before)
    expect(others).toEqual([])
    expect(summary).toMatchObject({ purpose: 'summary', body: { model: 'lab-model' } })
    expect(agent.model.id).toBe('small-model')
    await agent.send('Go on.')
    const sent = lab.calls.at(-1)
    expect(sent?.body).toMatchObject({ model: 'small-model' })
    expect(sent?.tokens).toBeLessThan(12_000)
  })

  test('BB-21: where what is in view cannot be made to fit it, the old one stays and nothing was sent', async () => {
    const { start, model, lab } = await bench({ script: readingLoop(3), files: LARGE, window: 60_000 })
    const agent = await start()
    await agent.send('Read three.')
    const before = lab.calls.length
    const entries = agent.session.snapshot.length
    await expect(agent.setModel(await model(2_000, 'tiny-model'))).rejects.toThrow(ContextOverflowError)
    expect(agent.model.id).toBe('lab-model')
    expect(lab.calls.slice(before).filter(({ purpose }) => purpose === 'main')).toEqual([])
    expect(agent.session.snapshot).toMatchObject({ length: entries, turnOpen: false })
    expect(agent.session.snapshot.record).toBeUndefined()
    expect((await agent.send('Go on.')).outcome).toBe('answered')
  })
})
