import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSummaryCall } from '@palimpsest/wirelab'
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai'
import {
  anthropicMessages,
  type CompactorEvent,
  createCompactor,
  decodePreset,
  memoryStores,
  PRESETS,
  type Preset,
  type Stores,
  type Summarizer,
} from 'palimpsest'
import { palimpsestContext, palimpsestTools } from 'palimpsest/ai-sdk'
import { directoryStores } from 'palimpsest/stores/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { modelAt } from '../ai-sdk.test-data.ts'
import { anthropic, messagesOf } from '../ways/anthropic.test-data.ts'
import { expectSound, runLoop, runOn, startRun } from '../ways/lab-run.test-data.ts'
import { call, filler, marked, marker, markersIn, type Step } from '../ways/steps.test-data.ts'
import { watchedStores } from '../ways/watched-stores.test-data.ts'

const READER = { tool: 'read_history' }
const EARLY = decodePreset({ extends: 'palimpsest', trigger: { tokens: 6_000 } })
const EARLY_KEEN = decodePreset({ extends: 'keen', trigger: { tokens: 6_000 } })

const historyOf = (first: number): Step[] => [
  ...Array.from({ length: 8 }, (_, turn): Step[] => [
    { user: marked(first + 2 * turn, 60) },
    { say: marked(first + 2 * turn + 1, 500) },
  ]).flat(),
  { user: 'Go on.' },
]

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-cases-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Every file below a folder with its bytes. */
async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return Object.fromEntries(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'base64')])))
}

describe('the archive', () => {
  test('CF-15 a read that fails does not cost what stands there, and the next write adds to it', async () => {
    const folder = await temporaryFolder()
    const stores = directoryStores(folder)
    const run = await startRun({
      window: 60_000,
      keeper: { stores, preset: EARLY, reader: READER, summarizer: 'extractive' },
    })
    const steps = historyOf(0)
    await anthropic.connect(run.setup).ask(steps, 'generate')
    const path = run.of('compaction-applied')[0]?.historyPath ?? ''
    const before = await readFile(path, 'utf8')
    expect(before).toContain(marker(0))
    let failing = 1
    const flaky: Stores = {
      ...stores,
      history: {
        append: (session, entries, options) =>
          entries.length > 0 && failing-- > 0
            ? Promise.reject(new Error('EIO: the file cannot be read'))
            : stores.history.append(session, entries, options),
        read: (session, options) => stores.history.read(session, options),
      },
    }
    const other = runOn(run.lab, {
      window: 60_000,
      stores: flaky,
      preset: EARLY,
      reader: READER,
      summarizer: 'extractive',
    })
    const client = anthropic.connect(other.setup)
    const grown = [...steps.slice(0, -1), ...historyOf(100)]
    await client.ask(grown, 'generate')
    expect(other.of('compaction-applied').map(({ historyPath }) => historyPath)).toEqual([undefined])
    expect(await readFile(path, 'utf8')).toBe(before)
    // the world is well again: the bytes of before, then what is new
    await client.ask([...grown.slice(0, -1), ...historyOf(200)], 'generate')
    const after = await readFile(path, 'utf8')
    expect(after.startsWith(before)).toBe(true)
    for (const number of [0, 100, 101, 200]) expect(after).toContain(marker(number))
    expectSound(run)
  })

  test('CF-16 a write that fails leaves no pointer anywhere in the request', async () => {
    const stores = memoryStores()
    const history = { ...stores.history, append: () => Promise.reject(new Error('read-only')) }
    const keeper = { stores: { ...stores, history }, preset: EARLY, reader: READER, summarizer: 'extractive' as const }
    const run = await startRun({ window: 60_000, keeper })
    await anthropic.connect(run.setup).ask(historyOf(0), 'generate')
    expect(run.of('compaction-applied').map(({ historyPath }) => historyPath)).toEqual([undefined])
    expect(run.main[0]?.bodyText).toContain('<compacted_context>')
    expect(run.main[0]?.bodyText).not.toMatch(/read_history|conversation_history|\.md/)
  })

  test('CF-18 two threads of one instance with one store share nothing', async () => {
    const stores = watchedStores()
    const counter = (text: string) => text.length / (text.includes('thread B') ? 12 : 4)
    const keeper = { stores, preset: EARLY, reader: READER, summarizer: 'extractive' as const }
    const run = await startRun({ window: 60_000, lab: { counter }, keeper })
    const a = anthropic.connect({ ...run.setup, apiKey: 'key-a', system: 'This is thread A.' })
    const b = anthropic.connect({ ...run.setup, apiKey: 'key-b', system: 'This is thread B.' })
    // one opening for both: only the credential tells them apart
    const opening: Step[] = [{ user: 'Hello.' }, { say: 'Hello.' }]
    await Promise.all([
      a.ask([...opening, ...historyOf(0)], 'generate'),
      b.ask([...opening, ...historyOf(100)], 'generate'),
    ])
    await a.ask([...opening, ...historyOf(0), { say: 'Done.' }, { user: 'And?' }], 'generate')
    const sessions = new Map(stores.appended.map(({ session }) => [JSON.stringify(session), session]))
    expect(sessions.size).toBe(2)
    expect(new Set([...sessions.values()].map(({ namespace }) => namespace)).size).toBe(2)
    const archives = await Promise.all([...sessions.values()].map((session) => stores.history.read(session)))
    for (const archive of archives) {
      const owners = new Set(markersIn(archive ?? '').map((number) => (number < 100 ? 'a' : 'b')))
      expect(owners.size).toBe(1)
    }
    // what was learned of one thread's usage is not the other's: B alone, and B beside A, are the same
    const alone = runOn(run.lab, { ...keeper, stores: memoryStores(), window: 60_000 })
    const single = anthropic.connect({ ...alone.setup, apiKey: 'key-b', system: 'This is thread B.' })
    const steps = [...opening, ...historyOf(100), { say: 'Done.' }, { user: 'And?' }]
    await single.ask([...opening, ...historyOf(100)], 'generate')
    await single.ask(steps, 'generate')
    await b.ask(steps, 'generate')
    expect(run.of('usage-observed').at(-1)?.predicted).toBe(alone.of('usage-observed').at(-1)?.predicted)
    expectSound(run)
  })
})

describe('what was offloaded can be read', () => {
  /** A model that reads every reference that it is shown, page by page, and then answers. */
  const reads = /artifact:\/\/[\w-]+/g

  test('CF-20 four large results that the model refuses: the second request fits, and each is readable', async () => {
    const results = [0, 1, 2, 3].map((number) => marked(number, 25_000 / 6.9))
    const stores = watchedStores()
    const run = await startRun({
      lab: { window: 12_500 },
      keeper: { window: 200_000, stores, namespace: 'n', reader: READER, summarizer: 'extractive' },
    })
    const steps: Step[] = [{ user: 'Compare.' }, { calls: results.map((result, number) => call(number, result)) }]
    expect((await anthropic.connect(run.setup).ask(steps, 'generate')).text).toBe('Done.')
    expect(run.main.map(({ outcome }) => outcome)).toEqual(['refused', 'answered'])
    expect(run.main[1]?.tokens).toBeLessThanOrEqual(12_500)
    // every original is in view, or behind the pointer that is in its place
    const view = run.main[1]?.bodyText ?? ''
    const pointers = [...new Set(view.match(reads))]
    expect(pointers.length).toBeGreaterThan(1)
    const stored = await Promise.all(pointers.map((one) => stores.artifacts.get('n', one.replace('artifact://', ''))))
    const whole = results.filter((result) => view.includes(JSON.stringify(result).slice(1, -1)))
    expect([...whole, ...stored].sort()).toEqual([...results].sort())
    // that read_file takes its own path again is the agent's
    expectSound(run)
  })

  test('BB-14 one result of 300,000 tokens in one line, at the end: it fits, and the model can read all of it', async () => {
    const huge = filler(170_000, 5)
    const pages: string[] = []
    const stores = watchedStores()
    const script = ({ answered, body }: { readonly answered: number; readonly body: unknown }) => {
      if (answered === 0)
        return { parts: [{ kind: 'tool-call' as const, id: 'toolu_0', name: 'fetch_page', input: {} }] }
      const path = JSON.stringify(body).match(reads)?.[0]
      const offset = 20_000 * (answered - 1)
      if (path === undefined || answered > 3) return { parts: [{ kind: 'text' as const, text: 'I have seen it.' }] }
      return {
        parts: [{ kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read_history', input: { path, offset } }],
      }
    }
    const run = await startRun({ window: 32_000, lab: { script } })
    const context = palimpsestContext({ window: 32_000, stores, summarizer: 'extractive' })
    const model = wrapLanguageModel({ model: modelAt('anthropic', run.lab.url), middleware: context.middleware })
    const own = palimpsestTools(context)
    const watched = tool({
      description: own.read_history.description,
      inputSchema: z.object({ path: z.string().optional(), offset: z.number().optional() }),
      execute: async (input, options) => {
        const page = await own.read_history.execute(input as never, options as never)
        pages.push(page)
        return page
      },
    })
    const fetchPage = tool({ inputSchema: z.object({}), execute: async () => huge })
    const { text } = await generateText({
      model,
      tools: { fetch_page: fetchPage, read_history: watched },
      prompt: 'Fetch it.',
      maxOutputTokens: 1_000,
      stopWhen: stepCountIs(10),
    })
    expect(text).toBe('I have seen it.')
    expect(run.main.map(({ outcome, message }) => message ?? outcome)).toEqual(run.main.map(() => 'answered'))
    expect(Math.max(...run.main.map(({ tokens }) => tokens))).toBeLessThan(32_000)
    expect(await stores.artifacts.get(context.namespace, stores.artifactKeys[0] ?? '')).toBe(huge)
    const read = pages.map((page) => page.replace(/\n\[\d+ more characters[^\]]*\]$/, ''))
    expect(read.join('')).toBe(huge.slice(0, read.join('').length))
    expect(read.join('').length).toBeGreaterThan(50_000)
  })
})

/** A promise and what settles it. */
function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}

describe('while a compaction runs', () => {
  /** A summariser that waits until it is told to go on, or is cancelled. */
  function heldSummarizer() {
    const [begun, gate] = [deferred(), deferred()]
    let calls = 0
    const summarizer: Summarizer = async (_input, { signal }) => {
      calls++
      begun.resolve()
      const cancelled = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      await Promise.race([gate.promise, cancelled])
      const text = 'The handover: the parts were read in order, and none of them is done.'
      return { status: 'written', text, by: 'held', usage: { input: 10, output: 5 }, rejected: [] }
    }
    return { summarizer, begun: begun.promise, release: () => gate.resolve(), calls: () => calls }
  }

  test('BB-16 cancelled in the middle of a summary: the files are as they were, and what was queued arrives', async () => {
    const folder = await temporaryFolder()
    let cancel: () => void = () => {}
    const run = await startRun({
      window: 60_000,
      lab: {
        summarizer: 'stalls',
        isSummaryCall: (body) => {
          const isOne = isSummaryCall(body)
          if (isOne) cancel()
          return isOne
        },
      },
      keeper: {
        stores: directoryStores(folder),
        preset: EARLY_KEEN,
        onEvent: (event) => {
          if (event.type === 'compaction-started') cancel = () => event.cancel()
        },
      },
    })
    const client = anthropic.connect(run.setup)
    const before = await filesIn(folder)
    const steps = historyOf(0)
    const answer = await client.ask(steps, 'stream')
    expect(answer.text).toBe('Done.')
    expect(await filesIn(folder)).toEqual(before)
    expect(run.of('compaction-cancelled')).toHaveLength(1)
    expect(run.of('compaction-applied')).toEqual([])
    // the person typed on meanwhile
    await client.ask([...steps, { say: answer.text }, { user: 'And what I typed meanwhile.' }], 'stream')
    expect(run.main).toHaveLength(2)
    expect(run.main[1]?.bodyText).toContain('And what I typed meanwhile.')
    expect(run.main[1]?.bodyText).toContain(marker(0))
    // the key that cancels and the queue on the screen are the agent's
    expectSound(run)
  })

  test('BB-17 a prompt and /compact meanwhile wait, a branch goes its own way, and nothing is written in between', async () => {
    const held = heldSummarizer()
    const events: CompactorEvent[] = []
    const stores = watchedStores()
    const compactor = createCompactor({
      dialect: anthropicMessages,
      window: 60_000,
      preset: EARLY_KEEN,
      stores,
      summarizer: held.summarizer,
      onEvent: (event) => events.push(event),
    })
    const body = (steps: readonly Step[]) => ({
      model: 'claude-opus-5',
      max_tokens: 500,
      messages: messagesOf(steps) as never,
    })
    const steps = historyOf(0)
    const first = compactor.prepare(body(steps), { session: 's' })
    await held.begun
    const prompt = compactor.prepare(body([...steps, { say: 'Done.' }, { user: 'More.' }]), { session: 's' })
    const manual = compactor.compactNow(body(steps), 'manual', { session: 's', focus: 'the ports' })
    // a branch is another conversation, and a small one: it need not wait
    const branch = await compactor.prepare(body([...steps.slice(0, 4), { user: 'Rather this.' }]), { session: 's' })
    expect(branch.changed).toBe(false)
    expect(stores.committed).toEqual([])
    expect(events.filter(({ type }) => type === 'compaction-started')).toHaveLength(1)
    held.release()
    const all = await Promise.all([first, prompt, manual])
    for (const { request } of all) expect(anthropicMessages.check(anthropicMessages.open(request as never))).toEqual([])
    // each compaction ends before the next one of its conversation begins
    const open = new Set<string>()
    for (const { id, type } of events) {
      if (type === 'compaction-started') {
        expect(open.size).toBe(0)
        open.add(id)
      }
      if (/^compaction-(?:applied|failed|cancelled)$/.test(type)) open.delete(id)
    }
    expect(open.size).toBe(0)
    expect(JSON.stringify(all[1].request)).toContain('More.')
    expect(held.calls()).toBeLessThanOrEqual(2)
  })
})

describe('BB-25 what is told', () => {
  const ENDS = ['hango', 'keen', 'palimpsest'] as const

  test.each(ENDS)(
    'BB-25 %s: each start has one end with its id, its reason, and tokens before and after',
    async (name) => {
      let cancelNext = false
      const run = await startRun({
        window: 12_000,
        lab: {
          summarizer: ['normal', 'empty', 'empty', 'normal'],
          script: ({ answered }) => ({
            parts:
              answered % 40 === 39
                ? [{ kind: 'text', text: 'All is read.' }]
                : [{ kind: 'tool-call', id: `toolu_${answered}`, name: 'read_file', input: {} }],
          }),
        },
        keeper: {
          preset: PRESETS[name] as Preset,
          onEvent: (event) => {
            if (event.type === 'compaction-started' && cancelNext) event.cancel()
            if (event.type === 'compaction-applied') cancelNext = !cancelNext
          },
        },
      })
      const client = anthropic.connect(run.setup)
      await runLoop(client, [{ user: 'Read.' }], { tool: (_input, step) => filler(500, step) }).catch(() => {})
      const starts = run.of('compaction-started')
      expect(starts.length).toBeGreaterThan(1)
      expect(new Set(starts.map(({ id }) => id)).size).toBe(starts.length)
      for (const start of starts) {
        const [end, ...others] = run.events.filter(
          ({ id, type }) => id === start.id && /^compaction-(?:applied|failed|cancelled)$/.test(type),
        )
        expect(others).toEqual([])
        expect(end).toMatchObject({ reason: start.reason, session: start.session })
        if (end?.type !== 'compaction-applied') continue
        expect(end.tokensBefore).toBe(start.tokensBefore)
        expect(end.tokensAfter).toBeLessThan(end.tokensBefore)
      }
      for (const { attempt } of run.of('overflow-detected')) expect(attempt).toBeGreaterThan(0)
      // headless JSON and its exit codes are the agent's
      expectSound(run)
    },
  )
})
