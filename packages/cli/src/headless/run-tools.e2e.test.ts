import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Reply, startWirelab, toolLoop, type Wirelab } from '@palimpsest/wirelab'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand } from '../built-command.test-data.ts'
import { reply, runBench } from './run-bench.test-data.ts'

const bench = runBench()
let lab: Wirelab | undefined
beforeAll(buildCommand)
afterEach(() => lab?.close())
afterAll(bench.remove)

/** Keys that nobody issued, and the simulator in the place of every server. */
function everyClient(url: string): Readonly<Record<string, string>> {
  const login = join(bench.home, '.codex')
  mkdirSync(login, { recursive: true })
  const token = ['{"alg":"none"}', '{}'].map((part) => Buffer.from(part).toString('base64url'))
  writeFileSync(
    join(login, 'auth.json'),
    JSON.stringify({ tokens: { access_token: `${token.join('.')}.x`, account_id: 'acc-1' } }),
  )
  return {
    ...{ ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: url, OPENAI_API_KEY: 'any', OPENAI_BASE_URL: url },
    ...{ GEMINI_API_KEY: 'any', GOOGLE_GEMINI_BASE_URL: url, CODEX_BASE_URL: url },
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' },
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  }
}

describe.each([
  'anthropic:claude-sonnet-4-5',
  'openai:gpt-5',
  'openai-chat:some/local-model:7b',
  'codex:gpt-5-codex',
  'google:gemini-3-pro-preview',
  'bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0',
])('F1 %s', (model) => {
  it('reads files, is compacted on the way, and answers', async () => {
    bench.write('notes.txt', 'A line of notes that says little.\n'.repeat(160))
    lab = await startWirelab({
      window: 26_000,
      script: toolLoop({ steps: 9, tool: 'read_file', input: () => ({ path: 'notes.txt' }), final: 'All is read.' }),
    })
    const words = ['--model', model, '--window', '26k', 'Read the notes again and again.']
    const { code, texts, steps, compactions, usage, err } = await bench.result(words, { env: everyClient(lab.url) })
    expect([code, err, texts, steps]).toEqual([0, '', ['All is read.'], 10])
    expect(
      lab.calls.flatMap(({ message, reason, outcome }) => (outcome === 'answered' ? [] : [message ?? reason])),
    ).toEqual([])
    expect(compactions.length).toBeGreaterThan(0)
    for (const { outcome, before, after } of compactions) expect([outcome, after < before]).toEqual(['applied', true])
    expect(usage.chat).toMatchObject({ calls: 10 })
    expect(usage.summarize?.calls).toBe(lab.calls.filter(({ purpose }) => purpose === 'summary').length)
  })
})

describe('F3 F4 an overflow in the middle of an answer', () => {
  it('what was shown by then is withdrawn: it is said once, after what was said before', async () => {
    bench.write('notes.txt', 'A line of notes that says little.\n'.repeat(160))
    const [before, after] = ['I read the notes.', 'They say little, and they say it again and again.']
    const start = async () => {
      lab = await startWirelab({
        script: [
          reply(before, ['read_file', { path: 'notes.txt' }], 'r1'),
          reply('', ['read_file', { path: 'notes.txt' }], 'r2'),
          reply('', ['list_files', {}], 'l'),
          reply(after),
        ],
        faults: [{ kind: 'overflow', when: 'mid-stream', after: 3, window: 6_500 }],
      })
      return { env: everyClient(lab.url) }
    }
    const words = ['run', '--model', 'anthropic:claude-sonnet-4-5', 'Read the notes.']
    const text = await bench.run(words, await start())
    expect([text.code, text.out]).toEqual([0, `${before}\n\n${after}\n`])
    await lab?.close()
    const { out } = await bench.run([...words, '--output', 'stream-json'], await start())
    const events = out
      .trimEnd()
      .split('\n')
      .map((line): { type: string; text?: string } => JSON.parse(line))
    const types = events.map(({ type }) => type)
    const rewound = types.indexOf('rewind')
    expect(types.lastIndexOf('text-delta', rewound)).toBeGreaterThan(types.indexOf('tool-result'))
    const said = events.slice(rewound).flatMap(({ type, text: piece }) => (type === 'text-delta' ? [piece] : []))
    expect(said.join('')).toBe(after)
    expect(types.filter((type) => type.startsWith('compaction-'))).toEqual(['compaction-started', 'compaction-applied'])
  })
})

describe('what a run may do, where nobody can be asked', () => {
  async function answering(...script: readonly Reply[]) {
    lab = await startWirelab({ script })
    return { env: everyClient(lab.url) }
  }
  /** A model that makes `NAME.txt` by a tool and `NAME.ran` by a command. */
  const making = (name: string) => [
    reply('I write.', ['write_file', { path: `${name}.txt`, content: 'made' }], 'w'),
    reply('I run.', ['bash', { command: `touch ${name}.ran` }], 'r'),
    reply('Done.'),
  ]
  const MODEL = ['--model', 'anthropic:claude-sonnet-4-5', '--output', 'stream-json']

  async function failedTools(name: string, words: readonly string[]): Promise<Readonly<Record<string, boolean>>> {
    const { code, out } = await bench.run(['run', ...MODEL, ...words, 'do it'], await answering(...making(name)))
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    const events = lines.map((line): { type: string; name: string; failed: boolean } => JSON.parse(line))
    return Object.fromEntries(
      events.filter(({ type }) => type === 'tool-result').map((event) => [event.name, event.failed]),
    )
  }

  it('nothing that writes or runs, unless it is allowed; the model is told', async () => {
    expect(await failedTools('one', [])).toEqual({ write_file: true, bash: true })
    expect(() => bench.read('one.txt')).toThrow()
    expect(() => bench.read('one.ran')).toThrow()
    expect(JSON.stringify(lab?.calls.at(-1)?.body)).toMatch(/--allow/)
  })

  it('--allow, by kind, for one command, again and with commas', async () => {
    expect(await failedTools('two', ['--allow', 'write'])).toEqual({ write_file: false, bash: true })
    expect(bench.read('two.txt')).toBe('made')
    const rules = ['--allow', 'write', '--allow', 'command:touch three.ran']
    expect(await failedTools('three', rules)).toEqual({ write_file: false, bash: false })
    expect(await failedTools('four', rules)).toEqual({ write_file: false, bash: true })
    expect(await failedTools('five', ['--allow', 'write,command'])).toEqual({ write_file: false, bash: false })
    expect(bench.read('five.ran')).toBe('')
  })
})

describe('configuration, by the command', () => {
  it('flags beat the environment, that the file, and --no-config leaves the file out', async () => {
    bench.write('palimpsest.config.json', { model: 'wirelab:answer', maxSteps: 7, policy: 'hango' })
    const sources = async (words: readonly string[], env = {}) => {
      const { out, code, err } = await bench.run(['config', '--json', ...words], { env })
      expect([code, err]).toEqual([0, ''])
      return JSON.parse(out)
    }
    const shown = JSON.stringify(await sources(['--max-steps', '3'], { PALIMPSEST_MODEL: 'wirelab:tool-loop' }))
    expect(shown).toMatch(/wirelab:tool-loop/)
    expect(shown).toMatch(/PALIMPSEST_MODEL/)
    expect(shown).toMatch(/--max-steps/)
    expect(shown).toMatch(/hango/)
    expect(JSON.stringify(await sources(['--no-config']))).not.toMatch(/hango/)
    const { out } = await bench.run(['run', 'well?'])
    expect(out).toBe('All is done.\n')
    const { code, err } = await bench.run(['run', '--no-config', 'well?'], { env: { CODEX_HOME: '/nowhere' } })
    expect([code, err]).toEqual([2, expect.stringMatching(/No model is named/)])
  })

  it('options may stand before the command too, and are refused where they mean nothing', async () => {
    const { code, out } = await bench.run(['--model', 'wirelab:answer', 'run', 'well?'])
    expect([code, out]).toEqual([0, 'All is done.\n'])
    const nearer = await bench.run(['--model', 'anthropic:none', 'run', '--model', 'wirelab:answer', 'well?'])
    expect([nearer.code, nearer.out]).toEqual([0, 'All is done.\n'])
    const lost = await bench.run(['--model', 'wirelab:answer', 'sessions', 'list'])
    expect([lost.code, lost.err]).toEqual([2, expect.stringMatching(/'--model <name>' is none of sessions/)])
  })
})
