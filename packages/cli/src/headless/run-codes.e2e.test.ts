import { type Reply, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand } from '../built-command.test-data.ts'
import { reply, runBench } from './run-bench.test-data.ts'

const bench = runBench()
let lab: Wirelab | undefined
beforeAll(buildCommand)
afterEach(() => lab?.close())
afterAll(bench.remove)

/** Environment of a model that answers with these, in order. */
async function answering(...script: readonly Reply[]): Promise<Readonly<Record<string, string>>> {
  lab = await startWirelab({ script })
  return { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: lab.url }
}

const MODEL = ['--model', 'anthropic:claude-sonnet-4-5']

describe('what a run ends with', () => {
  it('0: an answer', async () => {
    const { code, out, err } = await bench.run(['run', '--model', 'wirelab:answer', 'well?'])
    expect([code, out, err]).toEqual([0, 'All is done.\n', ''])
  })

  it('0: a model whose id tells its provider', async () => {
    const env = await answering(reply('Hello.'))
    const { code, out, err } = await bench.run(['run', '--model', 'claude-sonnet-4-5', 'well?'], { env })
    expect([code, out, err]).toEqual([0, 'Hello.\n', ''])
  })

  it('1: as many steps as it may, and no answer', async () => {
    const words = ['--model', 'wirelab:tool-loop', '--max-steps', '2', 'look']
    const { code, error, steps, outcome, err } = await bench.result(words)
    expect([code, outcome, steps]).toEqual([1, 'failed', 2])
    expect(error).toMatchObject({
      message: expect.stringContaining('2 steps'),
      hint: expect.stringContaining('--max-steps'),
    })
    expect(err).toMatch(/^error: .*2 steps.*\nhint: .*--max-steps/)
  })

  it.each<[string, readonly string[], RegExp]>([
    ['nothing asked', ['run', '--model', 'wirelab:answer'], /^error: Nothing is asked/],
    ['no model', ['run', 'hi'], /^error: No model is named.*\nhint: .*wirelab:demo/],
    ['a provider that there is not', ['run', '--model', 'antropic:x', 'hi'], /^error: .*antropic.*\nhint: .*anthropic/],
    ['a script that there is not', ['run', '--model', 'wirelab:nowhere.json', 'hi'], /nowhere\.json.*no such file/],
    ['a flag that there is not', ['run', '--modell', 'x', 'hi'], /unknown option '--modell'/],
    ['a share above 1', ['run', '--trigger-frac', '1.5', 'hi'], /--trigger-frac.*0\.85/],
    ['a policy that there is not', ['run', '--model', 'wirelab:answer', '--policy', 'thrifty', 'hi'], /thrifty/],
    [
      'an --allow that means nothing',
      ['run', '--model', 'wirelab:answer', '--allow', 'everything', 'hi'],
      /everything/,
    ],
    ['a folder that there is not', ['run', '--cwd', 'nowhere', '--model', 'wirelab:answer', 'hi'], /--cwd: .*nowhere/],
    ['a prompt taken for an id', ['run', '--model', 'wirelab:answer', '--resume', 'go on'], /put -- before it/],
    [
      'a session that there is not',
      ['run', '--resume', 'nowhere', '--model', 'wirelab:answer', 'hi'],
      /nowhere|no session/,
    ],
    ['a conversation without a terminal', [], /palimpsest run/],
    ['a word that is no command', ['sesions'], /unknown command 'sesions'\n\(Did you mean sessions\?\)/],
    ['such a word with more behind it', ['sesions', 'list'], /unknown command 'sesions'\n\(Did you mean sessions\?\)/],
    ['a prompt without run', ['mend', 'the', 'test'], /unknown command 'mend'\n.*palimpsest run/],
    ['a name that is no script', ['run', '--model', 'wirelab:dmo', 'hi'], /dmo.*\nhint: .*wirelab:demo/],
  ])('2: %s', async (_, words, message) => {
    const { code, out, err } = await bench.run(words)
    expect(err).toMatch(message)
    expect([code, out]).toEqual([2, ''])
  })

  it.each([
    ['anthropic:claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
    ['openai:gpt-5', 'OPENAI_API_KEY'],
    ['google:gemini-3-pro-preview', 'GEMINI_API_KEY'],
  ])('2: a key that is missing for %s is told in one line that names %s', async (model, variable) => {
    const { code, err, error, text } = await bench.result(['--model', model, 'hi'])
    expect([code, error?.code, text]).toEqual([2, 'not-found', ''])
    expect(err.split('\n')[0]).toMatch(new RegExp(`^error: .*${variable}`))
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  })

  it('3: a window in which not even system and tools have room', async () => {
    const { code, error, outcome } = await bench.result(['--model', 'wirelab:answer', '--window', '2000', 'hi'])
    expect([code, outcome]).toEqual([3, 'failed'])
    expect(error?.hint).toContain('larger window')
  })

  it('3: a provider that finds every request too large, however small it is made', async () => {
    lab = await startWirelab({ faults: [{ kind: 'overflow', when: 'before-first-byte', times: 9 }] })
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: lab.url }
    const input = 'A line of a very long log, which says nothing.\n'.repeat(2_000)
    const { code, error, compactions } = await bench.result([...MODEL, 'summarise'], { env, input })
    expect([code, error?.code]).toEqual([3, 'context-overflow'])
    expect(compactions.map(({ reason }) => reason)).toContain('overflow')
    expect(lab.calls.length).toBeLessThanOrEqual(3)
  })

  it('4: a provider that refuses', async () => {
    const env = await answering()
    const { code, error, outcome, err } = await bench.result([...MODEL, 'hi'], { env })
    expect([code, outcome]).toEqual([4, 'failed'])
    expect(error?.message).toContain('wirelab: the script has 0 replies')
    expect(err).toMatch(/^error: /)
  })

  it('F4 130: interrupted in the middle: what was said is printed and stored, and the session goes on', async () => {
    lab = await startWirelab({
      script: [reply('I look.', ['list_files', {}]), reply('I begin to say what I do not end.'), reply('Done.')],
      faults: [{ kind: 'stall', after: 1 }],
    })
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: lab.url }
    const running = bench.start(['run', ...MODEL, '--session', 'stopped', '--output', 'stream-json', 'look'], { env })
    await running.printed(/"step-started","step":2[\s\S]*"text-delta"/)
    running.child.kill('SIGINT')
    const { code, out, err } = await running.ended
    expect([code, err]).toEqual([130, expect.stringContaining('--session stopped')])
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.at(-2)).toEqual({ type: 'turn-ended', outcome: 'cancelled' })
    expect(lines.at(-1)).toMatchObject({ type: 'result', session: 'stopped', outcome: 'cancelled', exit_code: 130 })
    const [first, partial] = lines.at(-1).texts
    expect(first).toBe('I look.')
    expect('I begin to say what I do not end.'.startsWith(partial) && partial !== '').toBe(true)
    const again = await bench.result([...MODEL, '--session', 'stopped', 'go on'], { env })
    expect([again.code, again.text]).toEqual([0, 'I begin to say what I do not end.'])
    expect(lab.calls.map(({ outcome }) => outcome)).toEqual(['answered', 'faulted', 'answered'])
    expect(JSON.stringify(lab.calls.at(-1)?.body)).toContain(partial)
  })

  it('a reader that goes away ends it without a word', async () => {
    const running = bench.start(['run', '--model', 'wirelab:tool-loop', '--output', 'stream-json', 'look'])
    await running.printed('turn-started')
    running.child.stdout?.destroy()
    const { code, err } = await running.ended
    expect([code, err]).toEqual([0, ''])
  })
})
