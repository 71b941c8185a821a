import { expect, test } from 'vitest'
import { benches, calls, ofType, says } from './agent.test-data.ts'

const bench = benches()

const WORDS = 'Keep the tests green, and the style as it is.'

/** Three reads and an answer, over and over. */
function reading() {
  let step = 0
  return () => {
    step += 1
    return step % 4 === 0 ? says(`Read, ${step}.`) : calls(['read_file', { path: 'a.txt', offset: step }])
  }
}

const FILES = { 'a.txt': Array.from({ length: 400 }, (_, n) => `line ${n} of the file has its own words`).join('\n') }

test.each([
  { instructions: 1, compacts: false },
  { instructions: 500, compacts: true },
])('D11 $instructions sentences in AGENTS.md alone decide whether it compacts: $compacts', async (given) => {
  const { start, events } = await bench({
    script: reading(),
    files: { ...FILES, 'AGENTS.md': Array(given.instructions).fill(WORDS).join('\n') },
    window: 52_000,
    config: { contextTriggerFrac: 0.5 },
  })
  expect((await (await start()).send('Read.')).outcome).toBe('answered')
  expect(ofType(events, 'compaction-applied').length > 0).toBe(given.compacts)
})

test('D10, D11 what memory adds stands behind the breakpoint of the system, and is measured', async () => {
  const { start, lab } = await bench({
    script: reading(),
    files: { ...FILES, 'AGENTS.md': WORDS },
    config: { modelProfiles: { 'lab-model': { caching: true } } },
  })
  const agent = await start()
  await agent.send('Read.')
  const { system } = (lab.calls[0]?.body ?? {}) as { system: { text: string; cache_control?: object }[] }
  expect(system.map(({ cache_control }) => cache_control !== undefined)).toEqual([true, false])
  expect(system[1]?.text).toContain(WORDS)
  const { sources } = await agent.context()
  expect(sources.memory).toBeGreaterThan(10)
})

test('D11 without the slots the requests are what they were before there was compaction', async () => {
  const one = await bench({ script: reading(), files: FILES, window: 22_000 })
  const other = await bench({ script: reading(), files: FILES, window: 200_000 })
  const compacting = await one.start({ session: 's' })
  const plain = await other.start({ session: 's', without: ['summarisation', 'prompt-cache'] })
  for (const text of ['Read.', 'Read on.', 'And more.']) {
    expect((await compacting.send(text)).outcome).toBe('answered')
    expect((await plain.send(text)).outcome).toBe('answered')
  }
  expect(ofType(one.events, 'compaction-applied').length).toBeGreaterThan(0)
  const without = await one.start({ resume: 's', without: ['summarisation', 'prompt-cache'] })
  // the window is too small for the whole transcript: the simulator refuses what it is sent, and shows it
  await without.send('The last words.')
  await plain.send('The last words.')
  const [sent] = one.lab.calls.filter(({ bodyText }) => bodyText.includes('The last words.'))
  const wanted = other.lab.calls.find(({ bodyText }) => bodyText.includes('The last words.'))
  expect(sent?.outcome).toBe('refused')
  expect(sent?.bodyText.replaceAll(one.cwd, 'WORK')).toBe(wanted?.bodyText.replaceAll(other.cwd, 'WORK'))
})
