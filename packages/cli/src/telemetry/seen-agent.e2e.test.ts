import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildCommand } from '../built-command.test-data.ts'
import { reply, runBench, smallWindow } from '../headless/run-bench.test-data.ts'
import { startOtlpReceiver } from './otlp-receiver.test-data.ts'

const bench = runBench()

beforeAll(() => {
  buildCommand()
  for (const name of ['one', 'two', 'three'])
    bench.write(`${name}.txt`, `${`The ${name} file says little. `.repeat(40)}\n`.repeat(12))
  bench.write('replies.json', [
    reply('I begin with the first.', ['read_file', { path: 'one.txt' }], 'call_1'),
    reply('Then the second.', ['read_file', { path: 'two.txt' }], 'call_2'),
    reply('And the third.', ['read_file', { path: 'three.txt' }], 'call_3'),
    reply('None of the three says much.'),
  ])
})
afterAll(bench.remove)

const WORDS = ['run', '--model', 'wirelab:replies.json', '--output', 'json', 'Read the files.']

describe('G1, G2, G3 a run of the agent', () => {
  test('is one trace: its turn, calls, tools and compaction', async () => {
    const receiver = await startOtlpReceiver()
    const env = { ...smallWindow('wirelab-replies.json', 16_300), OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
    const { code, err, out } = await bench.run([...WORDS, '--session', 'seen'], { env })
    await receiver.close()
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out).compactions).toHaveLength(1)
    const spans = receiver.spans()
    const [turn] = spans.filter(({ name }) => name === 'invoke_agent palimpsest')
    expect(turn).toMatchObject({ kind: 1, attributes: { 'gen_ai.conversation.id': 'seen' } })
    expect(turn?.events).toMatchObject([
      {
        name: 'gen_ai.conversation.compacted',
        attributes: {
          'palimpsest.compaction.reason': 'threshold',
          'palimpsest.tokens.before': expect.any(Number),
          'palimpsest.tokens.after': expect.any(Number),
          'palimpsest.messages.evicted': expect.any(Number),
        },
      },
    ])
    const inner = spans.filter(({ parentSpanId }) => parentSpanId === turn?.spanId).map(({ name }) => name)
    expect(inner.sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'chat replies.json'),
      ...Array.from({ length: 3 }, () => 'execute_tool read_file'),
    ])
    const marked = spans.filter(({ attributes }) => attributes['gen_ai.conversation.compacted'] === true)
    expect(marked).toHaveLength(1)
    const summary = spans.filter(({ attributes }) => attributes['palimpsest.call.purpose'] === 'summarize')
    expect(summary.map(({ parentSpanId }) => parentSpanId)).toEqual([marked[0]?.spanId])
    expect(receiver.metrics()).toContainEqual(
      expect.objectContaining({
        name: 'palimpsest.context.compactions',
        attributes: { reason: 'threshold' },
        value: 1,
      }),
    )
    expect(receiver.logs()).toMatchObject([
      { body: 'context compacted', spanId: turn?.spanId, attributes: { 'gen_ai.conversation.id': 'seen' } },
    ])
    expect(JSON.stringify(receiver.posts)).not.toContain('file says little')
  })

  test('ends as ever where no collector is there', async () => {
    const env = { ...smallWindow('wirelab-replies.json', 16_300), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    const { code, err, out } = await bench.run([...WORDS, '--session', 'unseen'], { env })
    expect(code).toBe(0)
    expect(err.match(/Telemetry could not be sent/g)).toHaveLength(1)
    expect(JSON.parse(out).text).toContain('None of the three says much.')
  }, 30_000)
})
