import { type CallRecord, type Reply, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand } from '../built-command.test-data.ts'
import { reply, runBench } from './run-bench.test-data.ts'

const bench = runBench()
let lab: Wirelab | undefined
beforeAll(buildCommand)
afterEach(() => lab?.close())
afterAll(bench.remove)

async function answering(...script: readonly Reply[]): Promise<{ readonly env: Readonly<Record<string, string>> }> {
  lab = await startWirelab({ script })
  return { env: { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: lab.url } }
}

const MODEL = ['--model', 'anthropic:claude-sonnet-4-5']

interface Message {
  readonly role: string
  readonly content: string | readonly Readonly<Record<string, unknown>>[]
}

/** The messages of a call, without marks of the prompt cache. */
function messagesOf(call: CallRecord | undefined): readonly Message[] {
  const text = JSON.stringify((call?.body as { messages?: unknown } | undefined)?.messages ?? [])
  return JSON.parse(text, (key, value) => (key === 'cache_control' ? undefined : value))
}

function systemOf(call: CallRecord | undefined): unknown {
  return (call?.body as { system?: unknown } | undefined)?.system
}

const outcomes = () => lab?.calls.map(({ outcome, message }) => message ?? outcome)

describe('a session over several runs', () => {
  it('E7 --session begins one and goes on with it: each request begins as the one before', async () => {
    const options = await answering(reply('Blue.'), reply('As I said: blue.'))
    const first = await bench.result([...MODEL, '--session', 'colours', 'Which colour?'], options)
    const second = await bench.result([...MODEL, '--session', 'colours', 'Again?'], options)
    expect([first.code, second.code, second.session, second.texts]).toEqual([0, 0, 'colours', ['As I said: blue.']])
    expect(second.usage.chat).toMatchObject({ calls: 1 })
    const [one, two] = lab?.calls ?? []
    expect(messagesOf(two).slice(0, 1)).toEqual(messagesOf(one))
    expect(messagesOf(two).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(systemOf(two)).toEqual(systemOf(one))
  })

  it('--resume goes on with the newest of the folder, whose title is what was asked first', async () => {
    const options = await answering(reply('One.'), reply('Two.'))
    const words = 'Name the harbours of the north sea, all of them, from Bergen to Dunkirk'
    const first = await bench.result([...MODEL, words], options)
    const second = await bench.result([...MODEL, '--resume', '--', 'and then?'], options)
    expect(second.session).toBe(first.session)
    expect(messagesOf(lab?.calls[1])).toHaveLength(3)
    const listed = JSON.parse((await bench.run(['sessions', 'list', '--json'])).out)
    const sessions: readonly { id: string; title?: string }[] = listed.sessions ?? listed
    const title = sessions.find(({ id }) => id === first.session)?.title ?? ''
    expect(title).toMatch(/^Name the harbours.*…$/)
    expect(words.startsWith(title.slice(0, -1))).toBe(true)
  })

  it('--resume of an id that there is not names the nearest', async () => {
    const options = await answering(reply('Blue.'))
    await bench.run(['run', ...MODEL, '--session', 'nearly', 'hi'], options)
    const { code, err } = await bench.run(['run', ...MODEL, '--resume', 'neerly', 'hi'], options)
    expect([code, err]).toEqual([2, expect.stringMatching(/no session "neerly".*\n.*Did you mean nearly\?/)])
  })

  it('a run that comes to no turn leaves no session', async () => {
    await bench.run(['run', '--model', 'anthropic:none', '--session', 'ghost', 'hi'])
    expect((await bench.run(['sessions', 'list', '--json'])).out).not.toContain('ghost')
  })
})

describe('E7 a process that is killed in the middle of a turn', () => {
  it('while a tool runs: the next run tells the model that it was broken off, and sends the same bytes before', async () => {
    const wait = reply('I wait.', ['bash', { command: 'sleep 4' }], 'call_wait')
    const options = await answering(reply('I look.', ['list_files', {}], 'call_look'), wait, reply('I am back.'))
    const words = ['run', ...MODEL, '--allow', 'all', '--output', 'stream-json', '--session', 'killed', 'wait a while']
    const running = bench.start(words, options)
    await running.printed('"tool-call","id":"call_wait"')
    running.child.kill('SIGKILL')
    expect((await running.ended).code).toBeNull()
    const again = await bench.result([...MODEL, '--resume', 'killed', 'are you there?'], options)
    expect([again.code, again.text]).toEqual([0, 'I am back.'])
    expect(outcomes()).toEqual(['answered', 'answered', 'answered'])
    const [, before, after] = lab?.calls ?? []
    expect(messagesOf(after).slice(0, messagesOf(before).length)).toEqual(messagesOf(before))
    expect(systemOf(after)).toEqual(systemOf(before))
    expect(resultOf(messagesOf(after), 'call_wait')).toMatch(/interrupted/i)
    const verified = await bench.run(['sessions', 'verify', 'killed'])
    expect([verified.code, verified.err]).toEqual([0, expect.anything()])
  })

  it('while the model answers: what was asked is there, and the session goes on', async () => {
    const options = await answering(reply('I begin to say something long.'), reply('Here I am.'))
    lab?.inject({ kind: 'stall' })
    const words = ['run', ...MODEL, '--output', 'stream-json', '--session', 'cut', 'first words']
    const running = bench.start(words, options)
    await running.printed('"text-delta"')
    running.child.kill('SIGKILL')
    await running.ended
    const again = await bench.result([...MODEL, '--session', 'cut', 'second words'], options)
    expect(again.code).toBe(0)
    const sent = JSON.stringify(messagesOf(lab?.calls.at(-1)))
    expect([sent.includes('first words'), sent.includes('second words')]).toEqual([true, true])
    expect((await bench.run(['sessions', 'verify', 'cut'])).code).toBe(0)
  })
})

function resultOf(messages: readonly Message[], id: string): string {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  return JSON.stringify(blocks.find(({ tool_use_id }) => tool_use_id === id))
}
