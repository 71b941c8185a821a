import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buildCommand,
  exampleSession,
  palimpsest,
  palimpsestHere,
  repository,
  scratchFolder,
} from './built-command.test-data.ts'
import { anthropic, inventedRequests, inventedSteps } from './invented-requests.test-data.ts'

const scratch = scratchFolder()
beforeAll(buildCommand)
afterAll(scratch.remove)

const requests = inventedRequests(inventedSteps(3, 400))

describe('check', () => {
  it.each(requests)('finds nothing in a sound $format request, told or not', async ({ format, body }) => {
    const input = JSON.stringify(body)
    for (const words of [['check'], ['check', '-', '--format', format]]) {
      const { code, out } = await palimpsestHere(words, input)
      expect(out).toMatch(/no violations/)
      expect(code).toBe(0)
    }
  })

  it('names rule, place and remedy of each violation, and ends with 1', () => {
    const body = anthropic(inventedSteps(3, 100)) as { messages: unknown[] }
    const broken = { ...body, messages: body.messages.toSpliced(1, 1) }
    const file = scratch.file('broken.json', broken)
    const { code, out } = palimpsest(['check', file])
    expect(code).toBe(1)
    expect(out).toMatch(/^\/messages\/1 .*anthropic\/tool-result-without-call/m)
    expect(out).toMatch(/\n {2}fix: /)
    const json = palimpsest(['check', file, '--json'])
    expect(json.code).toBe(1)
    const { violations, dialect } = JSON.parse(json.out)
    expect(dialect).toBe('anthropic-messages')
    const [{ rule, position, pointer, message, fix }] = violations
    expect([rule, position, pointer]).toEqual(['anthropic/tool-result-without-call', 1, '/messages/1'])
    for (const sentence of [message, fix]) expect(sentence.length).toBeGreaterThan(10)
  })

  it('counts system messages into the place where the format keeps them among the others', () => {
    const chat = requests.find(({ format }) => format === 'openai-chat')?.body as { messages: unknown[] }
    const broken = { ...chat, messages: chat.messages.toSpliced(2, 1) }
    const { out } = palimpsest(['check', '--json'], { input: JSON.stringify(broken) })
    const [{ position, pointer }] = JSON.parse(out).violations
    expect([position, pointer]).toEqual([1, '/messages/2'])
  })

  it('says what a history on its own does not let it check', async () => {
    const history = 'history only: no system, no tools, no max_tokens; rules about them were not checked'
    const session = palimpsest(['check', exampleSession])
    expect([session.code, session.out]).toEqual([0, expect.stringContaining(`no violations (${history})`)])
    const { messages } = anthropic(inventedSteps(3, 100))
    expect((await palimpsestHere(['check'], JSON.stringify({ model: 'm', messages }))).out).toContain(history)
    const json = async (body: unknown) =>
      JSON.parse((await palimpsestHere(['check', '--json'], JSON.stringify(body))).out)
    expect((await json(messages)).not_checked).toEqual(['system', 'tools', 'max_tokens'])
    expect((await json(anthropic(inventedSteps(3, 100)))).not_checked).toEqual([])
  })

  it('reads a session file and names lines', () => {
    const lines = readFileSync(exampleSession, 'utf8').split('\n')
    const cut = scratch.file('cut.jsonl', lines.toSpliced(4, 1).join('\n'))
    const { code, out } = palimpsest(['check', cut])
    expect(code).toBe(1)
    expect(out).toMatch(/cut\.jsonl:\d+ /)
  })
})

describe('count', () => {
  it.each(requests)(
    'adds up for $format: sources make the total, messages are listed when asked',
    async ({ format, body }) => {
      const input = JSON.stringify(body)
      const short = JSON.parse((await palimpsestHere(['count', '--json', '--format', format], input)).out)
      const sum = Object.values<number>(short.sources).reduce((all, one) => all + one, 0)
      // Each source is rounded up by itself.
      expect(sum).toBeGreaterThanOrEqual(short.tokens)
      expect(sum).toBeLessThan(short.tokens + 5)
      for (const source of ['tools', 'human', 'model', 'tool']) expect(short.sources[source]).toBeGreaterThan(0)
      expect(short).toMatchObject({ basis: 'estimated', bytes: Buffer.byteLength(input) })
      const long = JSON.parse((await palimpsestHere(['count', '--json', '--messages'], input)).out)
      expect(long.messages).toHaveLength(short.messages)
      const text = (await palimpsestHere(['count', '--messages'], input)).out
      expect(text).toMatch(/^source +tokens +share$/m)
      expect(text).toMatch(/^position +role +tokens +bytes +parts$/m)
    },
  )

  it('counts exactly where the vocabulary is public, and says so where it is not', async () => {
    const bodyOf = (format: string) => JSON.stringify(requests.find((request) => request.format === format)?.body)
    const count = async (words: readonly string[]) =>
      JSON.parse((await palimpsestHere(['count', '--json', ...words], bodyOf('openai-chat'))).out)
    const [exact, estimated] = [await count(['--exact']), await count([])]
    expect([exact.basis, estimated.basis]).toEqual(['exact', 'estimated'])
    expect(exact.tokens).not.toBe(estimated.tokens)
    expect(Math.abs(exact.tokens - estimated.tokens) / exact.tokens).toBeLessThan(0.15)
    const claude = await palimpsestHere(['count', '--exact'], bodyOf('anthropic'))
    expect([claude.code, claude.err]).toEqual([2, expect.stringMatching(/hint: Leave --exact out/)])
  })

  it('says of a session what the provider counted', () => {
    const { measured, tokens, overhead, family, sources } = JSON.parse(
      palimpsest(['count', exampleSession, '--json']).out,
    )
    expect([overhead, family, measured.compacted]).toEqual(['estimated', 'claude3', false])
    expect(Math.abs(measured.tokens - tokens) / measured.tokens).toBeLessThan(0.1)
    expect(Object.keys(sources)).toEqual(['system_and_tools', 'human', 'model', 'tool'])
  })

  it('goes by the overhead and the factor that profile prints, and tells that the client had compacted', async () => {
    const input = compactedSession()
    const count = (await palimpsestHere(['count'], input)).out
    const profile = (await palimpsestHere(['profile', '-'], input)).out
    const [, overhead, factor] =
      /^system and tools ([\d,]+) tokens, .* is ([\d.]+) × the estimate$/m.exec(profile) ?? []
    expect(Number(factor)).toBeGreaterThan(1)
    expect(count).toMatch(new RegExp(`^system and tools +${overhead} `, 'm'))
    expect(count).toContain(`; messages are ${factor} × their estimate`)
    expect(count).toMatch(/counted 9,000 tokens .*; the client had compacted before it/)
    const estimated = JSON.parse((await palimpsestHere(['count', '--json'], input)).out)
    const sum = Object.values<number>(estimated.sources).reduce((all, one) => all + one, 0)
    expect(sum - estimated.tokens).toBeGreaterThanOrEqual(0)
    expect(sum - estimated.tokens).toBeLessThan(5)
  })
})

/** A made-up session with recorded usage above any estimate, and a compaction of the client before its last call. */
function compactedSession(): string {
  const line = (uuid: string, parentUuid: string | null, more: object) =>
    JSON.stringify({ uuid, parentUuid, sessionId: 's', isSidechain: false, ...more })
  const said = (uuid: string, parent: string | null, content: unknown) =>
    line(uuid, parent, { type: 'user', message: { role: 'user', content } })
  const answer = (at: number, parent: string, input: number, block: object) => {
    const usage = { input_tokens: input, output_tokens: 5 }
    const message = { id: `m${at}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [block], usage }
    return line(`a${at}`, parent, { type: 'assistant', message })
  }
  const steps = inventedSteps(10, 4_000).flatMap(({ path, result }, at) => [
    answer(at, at === 0 ? 'u' : `r${at - 1}`, 5_000 + at * 2_600, {
      type: 'tool_use',
      id: `t${at}`,
      name: 'read',
      input: { path },
    }),
    said(`r${at}`, `a${at}`, [{ type: 'tool_result', tool_use_id: `t${at}`, content: result }]),
  ])
  const boundary = line('b', null, {
    type: 'system',
    subtype: 'compact_boundary',
    logicalParentUuid: 'r9',
    compactMetadata: { trigger: 'auto' },
  })
  const end = answer(99, 'b', 9_000, { type: 'text', text: 'Done.' })
  return [said('u', null, 'Count the berths.'), ...steps, boundary, end].join('\n')
}

describe('profile', () => {
  it('shows the example through two policies: a compaction at a window of 200k, charts, and nothing on standard error', () => {
    const { code, out, err } = palimpsest([
      'profile',
      exampleSession,
      '--policy',
      'palimpsest,hango',
      '--window',
      '200k',
    ])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^policy +steps +compactions +peak/m)
    expect(out).toMatch(/^palimpsest +135 +[1-9]/m)
    expect(out).toMatch(/^hango +135 +[1-9]/m)
    expect(out).toMatch(/^window 200k \(as given\)$/m)
    expect(out).toMatch(/^palimpsest: 135 of 135 requests keep the rules of anthropic-messages$/m)
    expect(out).toMatch(
      /^ {2}step \d+, message \d+: .* = 19\.5k system and tools .* kept \(\d+ messages\); newly .*; rungs: /m,
    )
    expect(out.match(/▲ compaction/g)).toHaveLength(2)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colour may be there
    expect(out).not.toMatch(/\u001b/)
    for (const line of out.split('\n').filter((text) => /[┤└]/.test(text))) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('gives all of it to machines', () => {
    const { out, code } = palimpsest(['profile', exampleSession, '--window', '200k', '--json'])
    expect(code).toBe(0)
    const [session] = JSON.parse(out).sessions
    const [profile] = session.profiles
    expect(profile.steps).toHaveLength(135)
    expect(profile.peak).toBe(Math.max(...profile.steps.map((step: { tokens: number }) => step.tokens)))
    expect(profile).toMatchObject({ unfit: 0, sound: 135, violations: [], recording_violations: [] })
    expect(session.window_source).toBe('given')
    expect(profile.peak).toBeLessThan(200_000)
    expect(profile.uncompacted).toBeGreaterThan(240_000)
    expect(profile.cache_share).toBeGreaterThan(0.5)
    for (const { tokensBefore, tokensAfter, position, ...composition } of profile.compactions) {
      expect(tokensAfter).toBeLessThan(tokensBefore)
      expect(composition.overhead + composition.summaryTokens + composition.keptTokens).toBe(tokensAfter)
      expect(composition.keptItems + composition.evicted).toBe(position)
      expect(position).toBeLessThanOrEqual(session.messages)
    }
    expect(profile.refusals).toEqual([])
  })

  it('counts every step that is too large, says so below the table, and ends with 0', () => {
    const { code, out } = palimpsest(['profile', exampleSession, '--window', '16k'])
    expect(code).toBe(0)
    expect(out).toMatch(/^palimpsest +135 +0 +0 .* 135$/m)
    expect(out).toMatch(/^palimpsest: 135 of 135 requests would be refused by size \(above [\d.]+k\)$/m)
  })

  it('tells faults of the recording from faults of requests', async () => {
    const body = anthropic(inventedSteps(3, 200)) as { messages: unknown[] }
    const faulty = { ...body, messages: [...body.messages, { role: 'user', content: [{ type: 'text', text: '' }] }] }
    const { code, out } = await palimpsestHere(['profile', '-'], JSON.stringify(faulty))
    expect(code).toBe(0)
    expect(out).toMatch(
      /^palimpsest: (\d+) of \1 requests keep the rules of anthropic-messages, save 1 fault of the recording/m,
    )
  })

  it('says how much of the window the largest request takes where nothing is compacted', () => {
    const { out } = palimpsest(['profile', exampleSession, '--window', '1M'])
    expect(out).toMatch(/^ {2}0 compactions: the largest request is 27% of the window$/m)
  })

  it('goes on after a file that cannot be read, and ends with 2', () => {
    const { code, out, err } = palimpsest(['profile', '/nowhere/a.jsonl', exampleSession])
    expect(code).toBe(2)
    expect(err).toMatch(/error: \/nowhere\/a\.jsonl: there is no such file/)
    expect(out).toMatch(/ledger-service/)
  })

  it('takes colours only when told, and the width of the terminal', () => {
    const coloured = palimpsest(['profile', exampleSession], { env: { FORCE_COLOR: '1', COLUMNS: '50' } }).out
    expect(coloured).toContain('\u001b[36m')
    const plain = palimpsest(['profile', exampleSession], {
      env: { FORCE_COLOR: '1', NO_COLOR: '1', COLUMNS: '50' },
    }).out
    expect(plain).not.toContain('\u001b')
    for (const line of plain.split('\n').filter((text) => /[┤└]/.test(text)))
      expect(line.length).toBeLessThanOrEqual(50)
  })

  it('reads a request too, and a session on standard input', () => {
    const file = scratch.file('profile.json', anthropic(inventedSteps(30, 2_000)))
    const request = palimpsest(['profile', file, '--window', '20k', '--reserve', '2k', '--json'])
    expect(request.code).toBe(0)
    expect(JSON.parse(request.out).sessions[0]).toMatchObject({ format: 'request', overhead: { source: 'request' } })
    const input = readFileSync(exampleSession, 'utf8')
    expect(palimpsest(['profile', '-'], { input }).out).toMatch(/^standard input$/m)
  })
})

describe('sessions in the home folder', () => {
  it('are profiled where no file is named; without any the fallback is, and without one it is an error', () => {
    const home = join(scratch.path, 'home')
    const folder = join(home, '.claude/projects/-home-dev-ledger-service')
    mkdirSync(folder, { recursive: true })
    const env = { HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', PI_CODING_AGENT_DIR: '' }
    const none = palimpsest(['profile'], { env })
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/hint: Name a session file/)])
    const example = palimpsest(['profile', '--fallback', exampleSession], { env })
    expect([example.code, example.err]).toEqual([0, expect.stringMatching(/example/)])
    copyFileSync(exampleSession, join(folder, '22291c2a-9860-456d-a3e1-a9356d62e278.jsonl'))
    const found = palimpsest(['profile', '--fallback', '/nowhere'], { env })
    expect([found.code, found.err]).toEqual([
      0,
      expect.stringMatching(/: 1 of 1 session in the home folder \(claude-code\)/),
    ])
  })

  it('npm start shows the example on a machine without sessions, and files from where they were typed', () => {
    const start = (words: readonly string[], cwd: string) =>
      spawnSync(process.execPath, [join(repository, 'scripts/start.mjs'), ...words], {
        cwd: repository,
        encoding: 'utf8',
        env: {
          ...process.env,
          HOME: scratch.path,
          USERPROFILE: scratch.path,
          npm_lifecycle_event: 'start',
          INIT_CWD: cwd,
        },
      })
    const example = start([], repository)
    expect([example.status, example.stdout]).toEqual([0, expect.stringMatching(/ledger-service\.jsonl/)])
    copyFileSync(exampleSession, join(scratch.path, 'mine.jsonl'))
    const own = start(['mine.jsonl', '--window', '150k'], scratch.path)
    expect([own.status, own.stdout]).toEqual([0, expect.stringMatching(/^mine\.jsonl$/m)])
    const folder = join(scratch.path, 'sessions')
    mkdirSync(join(folder, 'deep'), { recursive: true })
    copyFileSync(exampleSession, join(folder, 'deep/mine.jsonl'))
    const within = start(['sessions'], scratch.path)
    expect([within.status, within.stdout]).toEqual([0, expect.stringMatching(/^sessions\/deep\/mine\.jsonl$/m)])
    expect(within.stderr).toMatch(/sessions is a directory: its newest 1 session\./)
  })
})
