import { ContextOverflowError } from 'palimpsest'
import { expect, test } from 'vitest'
import { benches, calls, ofType, says } from './agent.test-data.ts'

const bench = benches()

/** A file of so many characters, every line its own. */
function file(characters: number, name: string): string {
  const lines: string[] = []
  for (let n = 0, size = 0; size < characters; n++) {
    lines.push(`${name}:${n} holds item ${n * 13}`)
    size += (lines.at(-1)?.length ?? 0) + 1
  }
  return lines.join('\n').slice(0, characters)
}

test('CF-20 four results of 25k characters, and a model that takes half of them: the next request fits, each file is named', async () => {
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
  const { start, lab, stores } = await bench({
    files: Object.fromEntries(names.map((name) => [name, file(25_000, name)])),
    window: 200_000,
    script: [calls(...names.map((path) => ['read_file', { path }] as const)), says('All four are read.')],
    // the fifth part of what a model of this size takes: it says so only when it is asked
    faults: [{ kind: 'overflow', when: 'before-first-byte', after: 1, window: 24_000, only: 'main' }],
  })
  const agent = await start()
  expect(await agent.send('Read the four.')).toMatchObject({ outcome: 'answered', texts: ['All four are read.'] })
  const [, refused, answered] = lab.calls.filter(({ purpose }) => purpose === 'main')
  expect(refused?.outcome).toBe('faulted')
  expect(answered?.tokens).toBeLessThan(24_000)
  // the calls keep their paths: what was left out of their results is read again from there, or from the history
  for (const name of names) expect(answered?.bodyText).toContain(`"path":"${name}"`)
  const { messages } = (answered?.body ?? {}) as { messages?: unknown }
  expect(JSON.stringify(messages)).not.toContain('artifact://')
  const history = await stores.history.read({ namespace: 'default', session: agent.session.id })
  expect(history).toContain('a.txt:100 holds item 1300')
})

test('D1 a compaction comes between steps: behind all results of a batch, before the request that holds them', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `f${n}.txt`)
  const { start, lab, events } = await bench({
    files: Object.fromEntries(names.map((name) => [name, file(4_000, name)])),
    window: 30_000,
    script: [calls(...names.map((path) => ['read_file', { path }] as const)), says('Ten are read.')],
  })
  expect((await (await start()).send('Read the ten.')).outcome).toBe('answered')
  const order = events.map(({ type }) => type).filter((type) => /^(tool-result|compaction-|step-)/.test(type))
  const [first] = ofType(events, 'compaction-started')
  expect(first?.reason).toBe('threshold')
  expect(order.indexOf('compaction-started')).toBeGreaterThan(order.lastIndexOf('tool-result'))
  expect(order.lastIndexOf('compaction-applied')).toBeLessThan(order.lastIndexOf('step-ended'))
  const sent = lab.calls.findLast(({ purpose }) => purpose === 'main')
  expect(sent?.bodyText.match(/"type":"tool_result"/g)).toHaveLength(10)
})

test('BB-8 keen: one compaction and one retry, then the error; no third request', async () => {
  const { start, lab, events } = await bench({
    files: { 'a.txt': file(20_000, 'a') },
    window: 60_000,
    config: { policy: 'keen' },
    script: ({ answered }) => (answered === 0 ? calls(['read_file', { path: 'a.txt' }]) : says('Read.')),
    faults: [{ kind: 'overflow', when: 'before-first-byte', after: 2, times: 9, only: 'main' }],
  })
  const agent = await start()
  await agent.send('Read it.')
  const result = await agent.send('And again.')
  expect(result.outcome).toBe('failed')
  expect(result.error).toBeInstanceOf(ContextOverflowError)
  expect(ofType(events, 'compaction-applied')).toHaveLength(1)
  expect(lab.calls.filter(({ purpose }) => purpose === 'main')).toHaveLength(4)
})

test('BB-8 ours: a second refusal drops oldest turns, a third ends it; no fourth request', async () => {
  const { start, lab } = await bench({
    files: { 'a.txt': file(20_000, 'a') },
    window: 60_000,
    script: ({ answered }) =>
      answered % 2 === 0 ? calls(['read_file', { path: 'a.txt' }]) : says(`Read, ${answered}.`),
    faults: [{ kind: 'overflow', when: 'before-first-byte', after: 5, times: 9, only: 'main' }],
  })
  const agent = await start()
  await agent.send('Read it.')
  await agent.send('Read it again.')
  const before = lab.calls.filter(({ purpose }) => purpose === 'main').length
  const result = await agent.send('And again.')
  expect(result.error).toBeInstanceOf(ContextOverflowError)
  // one call that was answered, and three that were refused
  expect(lab.calls.filter(({ purpose }) => purpose === 'main').length - before).toBe(4)
})

test('BB-9 a rate limit that speaks of tokens is waited for, and nothing is compacted', async () => {
  const { start, events } = await bench({
    script: () => says('Here I am.'),
    faults: [{ kind: 'rate-limit', body: true }],
  })
  expect((await (await start()).send('Hello')).outcome).toBe('answered')
  expect(ofType(events, 'retry')).toHaveLength(1)
  expect(ofType(events, 'compaction-started')).toEqual([])
})

test('BB-16 a compaction that is cancelled leaves no trace in the view, and the next message is delivered', async () => {
  const { start, events, sessions, lab } = await bench({
    files: { 'a.txt': file(20_000, 'a') },
    window: 60_000,
    config: { policy: 'hango' },
    script: ({ answered }) => (answered === 0 ? calls(['read_file', { path: 'a.txt' }]) : says(`Said, ${answered}.`)),
    summarizer: 'stalls',
    onEvent: (event) => event.type === 'compaction-started' && setImmediate(() => event.cancel()),
  })
  const agent = await start()
  await agent.send('Read it.')
  const view = await agent.session.view()
  expect(await agent.compact()).toBe(false)
  expect(ofType(events, 'compaction-cancelled')).toHaveLength(1)
  expect(await agent.session.view()).toEqual(view)
  const types = (await sessions.read(agent.session.id)).map(({ type }) => type)
  expect(types).not.toContain('compaction-applied')
  expect((await agent.send('Queued meanwhile.')).outcome).toBe('answered')
  expect(lab.calls.at(-1)?.bodyText).toContain('Queued meanwhile.')
})

test('BB-22 AGENTS.md stands in the request once, and what the user forbade is there verbatim, after five compactions', async () => {
  const { start, lab } = await bench({
    files: { 'AGENTS.md': 'Use tabs, never spaces.\n', 'a.txt': file(4_000, 'a') },
    window: 60_000,
    script: ({ answered }) =>
      answered % 2 === 0 ? calls(['read_file', { path: 'a.txt' }]) : says(`Read, ${answered}.`),
  })
  const agent = await start()
  await agent.send('Never push to main. Read the file.')
  for (let n = 1; n <= 5; n++) {
    expect(await agent.compact()).toBe(true)
    await agent.send(`Read it again, ${n}.`)
  }
  const sent = lab.calls.findLast(({ purpose }) => purpose === 'main')?.bodyText ?? ''
  expect(sent.split('Use tabs, never spaces.')).toHaveLength(2)
  expect(sent).toContain('Never push to main.')
})
