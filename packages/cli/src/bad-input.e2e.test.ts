import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
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
import { anthropic, inventedSteps } from './invented-requests.test-data.ts'

const scratch = scratchFolder()
beforeAll(buildCommand)
afterAll(scratch.remove)

const sound = anthropic(inventedSteps(3, 200))

describe.each(['compact', 'check', 'count', 'profile'])('%s on input that cannot be read', (command) => {
  it.each([
    ['a file that is not there', () => join(scratch.path, 'gone.json'), /gone\.json: there is no such file/],
    ['a directory', () => scratch.folder('empty'), /is a directory/],
    ['an empty file', () => scratch.file('empty.json', ''), /empty\.json: The file is empty/],
    [
      'a web page',
      () => scratch.file('page.html', '<!doctype html>\n<html><body>Login</body></html>'),
      /page\.html: Not JSON at line 1/,
    ],
    [
      'JSON that was cut',
      () => scratch.file('cut.json', JSON.stringify(sound).slice(0, -40)),
      /cut\.json: Not JSON at line 1, column \d+, in \/\w/,
    ],
    [
      'JSON of something else',
      () => scratch.file('other.json', '{"name":"x","version":"1.0.0"}'),
      /other\.json: JSON, but no request or session of a known format\.\nhint: Accepted are .*Anthropic Messages/,
    ],
    [
      'a text that quotes a session',
      () =>
        scratch.file(
          'quotes.md',
          `${'A line of text.\n'.repeat(30)}${readFileSync(exampleSession, 'utf8').slice(0, 3_000)}`,
        ),
      /quotes\.md: Not JSON at line 1, nor on \d+ of its other \d+ lines/,
    ],
    [
      'a session of a client that is not read',
      () => scratch.file('chat.json', '[{"ts":1,"type":"say","say":"text","text":"x"}]'),
      /chat\.json: .*looks like a Cline or Roo Code session, which is not read yet/,
    ],
    ...['[]', 'null', '1', '"x"', '[1,2]'].map((json): [string, () => string, RegExp] => [
      `JSON that is no request (${json})`,
      () => scratch.file('no-request.json', json),
      /no-request\.json: JSON, but no request or session of a known format/,
    ]),
    ['text', () => scratch.file('notes.txt', 'hello\nworld\n'), /Not JSON at line 1/],
  ])('%s: says which and where, and ends with 2', async (_name, file, message) => {
    const { code, out, err } = await palimpsestHere([command, file()])
    expect(err).toMatch(/^error: /)
    expect(err).toMatch(message)
    expect(err).not.toMatch(/internal error|\n\s+at /)
    expect([code, out]).toEqual([2, ''])
  })
})

it('says which lines of a damaged session were passed over', async () => {
  const lines = readFileSync(exampleSession, 'utf8').trimEnd().split('\n')
  const damaged = [...lines.slice(0, 9), 'torn {"type":', 'torn', ...lines.slice(9)].join('\n')
  for (const command of ['compact', 'check', 'count']) {
    const { code, err } = await palimpsestHere([command], damaged)
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^standard input: 2 lines skipped, not JSON \(line 10, 11\)$/m),
    ])
  }
})

it('the built command says the same, and ends with 2', () => {
  const { code, out, err } = palimpsest(['check', join(scratch.path, 'gone.json')])
  expect(err).toMatch(/^error: .*gone\.json: there is no such file\.\n$/)
  expect([code, out]).toEqual([2, ''])
})

describe('a wrong --format', () => {
  it('is told, with what would work', () => {
    const request = scratch.file('sound.json', sound)
    const wrong = palimpsest(['check', request, '--format', 'gemini'])
    expect([wrong.code, wrong.out]).toEqual([2, ''])
    expect(wrong.err).toMatch(/it has no "contents"/)
    expect(wrong.err).toMatch(/hint: It looks like anthropic-messages/)
    const session = palimpsest(['count', exampleSession, '--format', 'codex'])
    expect(session.code).toBe(2)
    expect(session.err).toMatch(/No Codex session: it looks like a Claude Code session\.\nhint: .*`claude-code`/)
    const name = palimpsest(['count', request, '--format', 'claude'])
    expect([name.code, name.err]).toEqual([2, expect.stringMatching(/Allowed choices are auto, anthropic/)])
  })
})

describe('bad usage', () => {
  it.each<[string, string[], RegExp]>([
    ['no command', [], /palimpsest run "…"/],
    ['an unknown command', ['compress'], /compress/],
    ['an unknown option', ['check', '--jsn'], /unknown option '--jsn'/],
    ['a window that is no number', ['compact', '--window', 'large'], /whole number of tokens/],
    ['a window of nothing', ['compact', '--window', '0'], /above zero/],
    [
      'an unknown policy',
      ['compact', exampleSession, '--policy', 'best'],
      /no policy "best"[\s\S]*hint: Known are palimpsest/,
    ],
    ['a keep window without a unit', ['compact', '--keep', '6'], /It wants messages:6/],
    ['replay without a plan', ['replay', exampleSession], /--plan/],
    ['two files', ['check', 'a.json', 'b.json'], /too many arguments/],
  ])('%s ends with 2 and says what would work', async (_name, words, message) => {
    const { code, out, err } = await palimpsestHere(words)
    expect(err).toMatch(message)
    expect([code, out]).toEqual([2, ''])
  })

  it('--help and --version are data and end with 0', async () => {
    const help = palimpsest(['--help'])
    expect([help.code, help.err]).toEqual([0, ''])
    for (const name of ['compact', 'check', 'count', 'replay', 'profile']) {
      expect(help.out).toContain(`  ${name} `)
      const own = await palimpsestHere([name, '--help'])
      expect([own.code, own.err, own.out.startsWith(`Usage: palimpsest ${name}`)]).toEqual([0, '', true])
    }
    expect(palimpsest(['--version']).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('plans, policies and places to write that are wrong', () => {
  const request = () => scratch.file('plan-input.json', sound)

  it('a plan that is no plan ends with 2 and names the pointer', () => {
    const plan = scratch.file('bad-plan.json', '{"drop":[{"from":3,"to":1}]}')
    const { code, out, err } = palimpsest(['replay', request(), '--plan', plan])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/bad-plan\.json: Not a plan: \/drop\/0\/to/)
  })

  it('a plan of another transcript ends with 1', () => {
    const plan = scratch.file('other-plan.json', '{"drop":[{"from":0,"to":900}]}')
    const { code, out, err } = palimpsest(['replay', request(), '--plan', plan])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/other-plan\.json: .*position 899/)
  })

  it('a plan that breaks rules names each and ends with 1; --force prints what it makes', async () => {
    const plan = scratch.file('breaking-plan.json', '{"drop":[{"from":2,"to":3}]}')
    const refused = await palimpsestHere(['replay', request(), '--plan', plan])
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(/^\/messages\/\d+ {2}anthropic\/tool-call-without-result: /m)
    expect(refused.err).toMatch(/^error: .*breaking-plan\.json: the plan makes a request with \d+ violations? that /m)
    const forced = await palimpsestHere(['replay', request(), '--plan', plan, '--force'])
    expect([forced.code, forced.err]).toEqual([1, expect.stringMatching(/anthropic\/tool-call-without-result/)])
    expect(JSON.parse(forced.out).messages).toHaveLength((sound.messages as unknown[]).length - 1)
    expect((await palimpsestHere(['check'], forced.out)).code).toBe(1)
  })

  it('a plan that leaves nothing ends with 1', async () => {
    const { length } = sound.messages as unknown[]
    const plan = scratch.file('empty-plan.json', `{"drop":[{"from":0,"to":${length}}]}`)
    const { code, out, err } = await palimpsestHere(['replay', request(), '--plan', plan])
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^\(the request\) {2}anthropic\/no-messages: /m)])
  })

  it('what the transcript itself breaks is not laid at the door of the plan', async () => {
    const messages = (sound.messages as unknown[]).toSpliced(1, 1)
    const file = scratch.file('broken-input.json', { ...sound, messages })
    const plan = scratch.file('sound-plan.json', '{"drop":[{"from":2,"to":4}]}')
    const { code, out } = await palimpsestHere(['replay', file, '--plan', plan])
    expect([code, JSON.parse(out).messages.length]).toEqual([0, messages.length - 2])
  })

  it('a policy file that is wrong names file and pointer', () => {
    const policy = scratch.file('bad-policy.json', '{"trigger":{"fraction":7,"of":"window"}}')
    const { code, err } = palimpsest(['compact', request(), '--policy', policy])
    expect([code, err]).toEqual([2, expect.stringMatching(/bad-policy\.json: Not a policy: \/trigger\/fraction/)])
  })

  it('a report that cannot be written ends with 2 and nothing goes out', () => {
    const { code, out, err } = palimpsest(['compact', request(), '--json-report', '/nowhere/report.json'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/\/nowhere\/report\.json cannot be written: there is no such file or folder/)
  })
})

it.skipIf(!existsSync('/dev/full'))('output that cannot be written is one line, and ends with 2', () => {
  for (const input of [
    '{"messages":[{"role":"user","content":"hi"}]}',
    JSON.stringify(anthropic(inventedSteps(60, 2_000))),
  ]) {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(repository, 'packages/cli/dist/main.js'), 'compact', '--window', '200k'],
      { input, stdio: ['pipe', full, 'pipe'], encoding: 'utf8' },
    )
    closeSync(full)
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: standard output could not be written: the disk is full\.\n$/m),
    ])
    expect(stderr).not.toMatch(/^\s+at /m)
  }
})

describe('JSON that is nested too deeply', () => {
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const call = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":${nested}}}]}`
  const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}'
  const deep = `{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"hi"},${call},${result}]}`

  it.each([
    ['compact', 0],
    ['check', 1],
    ['profile', 0],
  ])('%s reads it as any other', async (command, code) => {
    const named = await palimpsestHere([command, scratch.file('deep.json', deep)])
    expect([named.code, named.err]).toEqual([code, expect.not.stringMatching(/error|stack/i)])
  })

  it('count, which has to write it out, says so, with the name, and ends with 2', async () => {
    const said = ': nested too deeply to be read (more than a few thousand levels)'
    const file = scratch.file('deep.json', deep)
    const named = await palimpsestHere(['count', file])
    expect([named.code, named.out, named.err]).toEqual([2, '', expect.stringContaining(`error: ${file}${said}`)])
  })

  it('is replayed too', async () => {
    const plan = scratch.file('deep-plan.json', '{"drop":[{"from":0,"to":1}]}')
    const { code, err } = await palimpsestHere(['replay', '-', '--plan', plan], deep)
    // the plan takes the first user message away: what is left breaks a rule, and says which
    expect([code, err]).toEqual([1, expect.stringContaining('/messages/0  anthropic/first-not-user')])
  })
})

it('a reader that leaves early ends it without a word', async () => {
  const text = readFileSync(exampleSession, 'utf8')
  const child = spawn(process.execPath, [
    join(repository, 'packages/cli/dist/main.js'),
    'compact',
    '--overhead',
    '0',
    '--window',
    '1M',
  ])
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk
  })
  child.stdout.once('data', () => child.stdout.destroy())
  child.stdin.end(text)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(err).not.toMatch(/EPIPE|error/)
})
