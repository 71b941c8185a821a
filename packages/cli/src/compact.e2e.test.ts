import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand, exampleSession, palimpsest, palimpsestHere, scratchFolder } from './built-command.test-data.ts'
import { anthropic, inventedRequests, inventedSteps } from './invented-requests.test-data.ts'

const scratch = scratchFolder()
beforeAll(buildCommand)
afterAll(scratch.remove)

const large = inventedRequests(inventedSteps(60, 2_000))
const small = inventedRequests(inventedSteps(3, 400))

describe.each(large)('compact on a long $format request', ({ format, body }) => {
  const file = scratch.file(`${format}.json`, body)

  it('prints a request that is smaller, of the same format, and passes check; plan and replay give the same bytes', async () => {
    const plan = join(scratch.path, `${format}.plan.json`)
    const report = join(scratch.path, `${format}.report.json`)
    const limits = ['--window', '20k', '--reserve', '2k']
    const compacted = palimpsest(['compact', file, ...limits, '--plan-out', plan, '--json-report', report])
    expect(compacted.err).toMatch(
      /= [\d.]+k? system and tools .* kept \(\d+ messages?\); newly (evicted|shortened) .*; rungs: \w+/,
    )
    expect(compacted.code).toBe(0)
    expect(compacted.out.length).toBeLessThan(JSON.stringify(body).length)
    const { messages: _, contents: __, input: ___, prompt: ____, ...rest } = JSON.parse(compacted.out)
    expect(rest).toEqual(withoutItems(body))
    expect(compacted.out).toContain('Now say which file to change first.')

    const checked = await palimpsestHere(['check', '-', '--format', format], compacted.out)
    expect(checked.out).toMatch(/no violations/)
    expect(checked.code).toBe(0)

    const facts = JSON.parse(readFileSync(report, 'utf8'))
    expect(facts).toMatchObject({ status: 'compacted', format: 'request', reached_target: true })
    expect(facts.tokens.after).toBeLessThan(facts.tokens.before)
    expect(facts.bytes.after).toBe(Buffer.byteLength(compacted.out))
    expect(facts.plan).toEqual(JSON.parse(readFileSync(plan, 'utf8')))

    const replayed = await palimpsestHere(['replay', file, '--plan', plan, ...limits])
    expect(replayed.code).toBe(0)
    expect(replayed.out === compacted.out).toBe(true)
    expect(palimpsest(['compact', file, ...limits]).out === compacted.out).toBe(true)
  })
})

describe('a log of requests', () => {
  const digits = '"seed":18446744073709551615,"n":1.0,'
  const lineOf = (body: object) => JSON.stringify(body).replace('{', `{ ${digits}`)

  it('below the trigger gives back its longest line, byte for byte', async () => {
    for (const { body } of small) {
      const log = `${lineOf({ model: 'm', messages: [] })}\n${lineOf(body)}\r\n`
      const { code, out } = await palimpsestHere(['compact', '--window', '200k'], log)
      expect([code, out]).toEqual([0, `${lineOf(body)}\n`])
    }
  })

  it('above it keeps the spelling of what stays', async () => {
    for (const { format, body } of large) {
      const log = `${lineOf({ model: 'm', messages: [] })}\n${lineOf(body)}\n`
      const words = ['compact', '--format', format, '--window', '20k', '--reserve', '2k']
      const { code, out } = await palimpsestHere(words, log)
      expect([code, out.includes(digits), out.length < log.length]).toEqual([0, true, true])
    }
  })

  it('of messages on lines of their own keeps their numbers', async () => {
    const log = '{"role":"user","content":"a","x":18446744073709551615}\n{"role":"assistant","content":"b","x":1.0}\n'
    const { code, out } = await palimpsestHere(['compact', '--window', '200k'], log)
    expect([code, out]).toEqual([0, `{"messages":[${log.trimEnd().replace('\n', ',')}]}\n`])
  })
})

describe.each(small)('compact on a short $format request', ({ format, body }) => {
  it('gives back the bytes that came, blanks and all, and a plan that does nothing', async () => {
    const text = `${JSON.stringify(body, undefined, 3)}\n\n`.replace('"role"', '"x_id" : 12345678901234567890,\t"role"')
    const file = scratch.file(`${format}.small.json`, text)
    const plan = join(scratch.path, `${format}.small.plan.json`)
    const compacted = await palimpsestHere(['compact', file, '--window', '200k', '--plan-out', plan])
    expect(compacted.err).toMatch(/below the trigger/)
    expect([compacted.code, compacted.out === text]).toEqual([0, true])
    expect(JSON.parse(readFileSync(plan, 'utf8'))).toEqual({})
    expect((await palimpsestHere(['replay', file, '--plan', plan])).out === text).toBe(true)
    expect(palimpsest(['compact', '--window', '200k', '-'], { input: text }).out === text).toBe(true)
  })
})

describe('what compact keeps', () => {
  it('copies untouched items from the text as they stand there', () => {
    const odd = '"x_unknown": {"big": 12345678901234567890, "float": 1.0, "escape": "\\u00e9\\/"}'
    const text = JSON.stringify(anthropic(inventedSteps(60, 2_000))).replace('"messages":', `${odd}, "messages":`)
    const { out, code } = palimpsest(['compact', '--window', '20k', '--reserve', '2k'], { input: text })
    expect(code).toBe(0)
    expect(out).toContain(odd.slice(odd.indexOf('{')))
  })

  it('gives a bare list of messages back as a list', () => {
    const { messages } = anthropic(inventedSteps(60, 2_000)) as { messages: unknown[] }
    const input = JSON.stringify(messages)
    const { out, code, err } = palimpsest(['compact', '--format', 'anthropic', '--window', '20k', '--reserve', '2k'], {
      input,
    })
    expect([code, err]).toEqual([0, expect.stringMatching(/evicted/)])
    const view = JSON.parse(out)
    expect(Array.isArray(view)).toBe(true)
    expect(view.at(-1)).toEqual(messages.at(-1))
  })

  it('keeps what --keep says, and compacts below the trigger with --force', () => {
    const body = anthropic(inventedSteps(10, 2_000)) as { messages: unknown[] }
    const file = scratch.file('keep.json', body)
    const forced = palimpsest([
      'compact',
      file,
      '--window',
      '200k',
      '--force',
      '--policy',
      'hango',
      '--keep',
      'messages:9',
    ])
    expect(forced.err).toMatch(/ summary \+ .*newly evicted.*; rungs: .*summarizeOlder/)
    const view = JSON.parse(forced.out)
    expect(view.messages.slice(-9)).toEqual(body.messages.slice(-9))
    expect(view.messages.length).toBeLessThan(body.messages.length)
  })

  it('takes a policy from a file, and summarises nothing where it may not', () => {
    const file = scratch.file('policy-input.json', anthropic(inventedSteps(60, 2_000)))
    const policy = scratch.file('mine.json', {
      extends: 'hango',
      name: 'mine',
      trigger: { fraction: 0.5, of: 'window' },
    })
    const report = join(scratch.path, 'policy-report.json')
    const words = [
      'compact',
      file,
      '--window',
      '60k',
      '--policy',
      policy,
      '--summarizer',
      'none',
      '--json-report',
      report,
    ]
    expect(palimpsest(words).code).toBe(0)
    const facts = JSON.parse(readFileSync(report, 'utf8'))
    expect(facts).toMatchObject({ policy: 'mine', limits: { trigger: 30_000, window: 60_000 } })
    expect(facts.strategies).not.toContain('summarizeOlder')
    expect(facts.plan.summaries).toBeUndefined()
  })
})

describe('the window', () => {
  const file = scratch.file('window.json', { ...anthropic(inventedSteps(3, 400)), model: 'nobody-knows-1' })

  it('is said to be unknown where nobody knows it', () => {
    const { code, err } = palimpsest(['compact', file])
    expect([code, err]).toEqual([0, expect.stringMatching(/trigger 170k: .*window of the model unknown/)])
  })

  it("comes from the user's own model profiles", () => {
    const profiles = (json: string) => ({ env: { PALIMPSEST_MODEL_PROFILES: json } })
    const known = palimpsest(['compact', file], profiles('{"nobody-knows-1":{"max_input_tokens":60000}}'))
    expect([known.code, known.err]).toEqual([0, expect.stringMatching(/trigger 51k of 60k/)])
    const wrong = palimpsest(['compact', file], profiles('{"nobody-knows-1":'))
    expect([wrong.code, wrong.out, wrong.err]).toEqual([2, '', expect.stringMatching(/PALIMPSEST_MODEL_PROFILES: /)])
  })
})

describe('the output cap', () => {
  it('is lowered where input and output would not fit together, and nothing else changes; replay does the same', () => {
    const text = JSON.stringify({ ...anthropic(inventedSteps(4, 40_000)), max_tokens: 64_000 })
    const file = scratch.file('cap.json', text)
    const plan = join(scratch.path, 'cap-plan.json')
    const limits = ['--window', '100k', '--policy', 'palimpsest']
    const { code, out, err } = palimpsest(['compact', file, ...limits, '--plan-out', plan])
    expect([code, err]).toEqual([0, expect.stringMatching(/nothing to do; output cap lowered to \d/)])
    const cap = JSON.parse(out).max_tokens
    expect(cap).toBeGreaterThanOrEqual(4_096)
    expect(cap).toBeLessThan(64_000)
    expect(out).toBe(text.replace('"max_tokens":64000', `"max_tokens":${cap}`))
    expect(palimpsest(['replay', file, '--plan', plan, ...limits]).out === out).toBe(true)
  })
})

describe('history', () => {
  it('holds every evicted message once, however often it is written, in a file that no id leads out of', () => {
    const file = scratch.file('history.json', anthropic(inventedSteps(60, 2_000)))
    const folder = join(scratch.path, 'history')
    const report = join(scratch.path, 'history-report.json')
    const words = [
      'compact',
      file,
      '--window',
      '20k',
      '--reserve',
      '2k',
      '--history',
      folder,
      '--session',
      '../../x',
      '--json-report',
      report,
    ]
    expect(palimpsest(words).code).toBe(0)
    const facts = JSON.parse(readFileSync(report, 'utf8'))
    expect(facts.history_path.startsWith(folder)).toBe(true)
    const first = readFileSync(facts.history_path, 'utf8')
    expect(first).toContain('berth 0-0 holds 0 boats')
    palimpsest(words)
    expect(readFileSync(facts.history_path, 'utf8')).toBe(first)
  })
})

describe('what cannot fit', () => {
  it('ends with 3, prints nothing, and names what is in the way', () => {
    const body = { ...anthropic(inventedSteps(20, 2_000)), system: 'Rules. '.repeat(20_000) }
    const file = scratch.file('fixed.json', body)
    const report = join(scratch.path, 'fixed-report.json')
    const { code, out, err } = palimpsest(['compact', file, '--window', '16k', '--json-report', report])
    expect([code, out]).toEqual([3, ''])
    expect(err).toMatch(/error: .*[Ss]ystem and tools alone are \d+k of \d+/)
    expect(err).toMatch(/\nhint: /)
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ status: 'refused', error: { code: 'cannot-fit' } })
  })
})

describe('compact on a session file', () => {
  it('prints the request of its dialect, with system and tools estimated from the recorded usage', () => {
    const report = join(scratch.path, 'session-report.json')
    const plan = join(scratch.path, 'session-plan.json')
    const words = ['compact', exampleSession, '--window', '200k']
    const { code, out, err } = palimpsest([...words, '--json-report', report, '--plan-out', plan])
    expect(code).toBe(0)
    expect(err).toMatch(/= 1\d(\.\d)?k system and tools .*; system and tools are estimated/)
    const body = JSON.parse(out)
    expect(body.model).toBe('claude-sonnet-4-5')
    const facts = JSON.parse(readFileSync(report, 'utf8'))
    expect(facts).toMatchObject({
      format: 'claude-code',
      dialect: 'anthropic-messages',
      overhead: { source: 'estimated' },
    })
    expect(facts.overhead.tokens).toBeGreaterThan(15_000)
    expect(facts.tokens.before).toBeGreaterThan(240_000)
    expect(palimpsest(['check'], { input: out }).code).toBe(0)
    expect(palimpsest(['replay', exampleSession, '--plan', plan, '--window', '200k']).out === out).toBe(true)

    expect(palimpsest([...words, '--overhead', '1k', '--json-report', report]).code).toBe(0)
    expect(JSON.parse(readFileSync(report, 'utf8')).overhead).toMatchObject({ source: 'given', tokens: 1_000 })
  })
})

describe('what a client wrote in the name of the user', () => {
  it('is compacted like anything else, and is never among the words of the user', async () => {
    const common = (uuid: string, parentUuid: string | null) => ({
      uuid,
      parentUuid,
      sessionId: 's',
      isSidechain: false,
    })
    const said = (uuid: string, parent: string | null, content: unknown, more = {}) => ({
      ...common(uuid, parent),
      type: 'user',
      message: { role: 'user', content },
      ...more,
    })
    const skill = 'Skill of tidy lists. Never use semicolons in lists.'
    const steps = inventedSteps(40, 2_000).flatMap(({ path, result }, at) => {
      const block = { type: 'tool_use', id: `t${at}`, name: 'read', input: { path } }
      const message = { id: `m${at}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [block] }
      return [
        { ...common(`a${at}`, at === 0 ? 's1' : `r${at - 1}`), type: 'assistant', message },
        said(`r${at}`, `a${at}`, [{ type: 'tool_result', tool_use_id: `t${at}`, content: result }]),
      ]
    })
    const lines = (isMeta: boolean) =>
      [said('u1', null, 'Count the berths.'), said('s1', 'u1', skill, { isMeta }), ...steps]
        .map((line) => JSON.stringify(line))
        .join('\n')
    const summaryOf = async (isMeta: boolean) => {
      const { code, out } = await palimpsestHere(['compact', '--window', '20k', '--reserve', '2k'], lines(isMeta))
      expect(code).toBe(0)
      return JSON.stringify(JSON.parse(out).messages[0])
    }
    expect(await summaryOf(false)).toContain(skill)
    const summary = await summaryOf(true)
    expect(summary).toContain('Count the berths.')
    expect(summary).not.toContain(skill)
  })
})

function withoutItems(body: Record<string, unknown>): Record<string, unknown> {
  const { messages: _, contents: __, input: ___, prompt: ____, ...rest } = body
  return JSON.parse(JSON.stringify(rest))
}
