import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand } from '../built-command.test-data.ts'
import { OUTPUT_FORMATS, type OutputFormat } from './output-formats.ts'
import { reply, runBench, smallWindow } from './run-bench.test-data.ts'

const bench = runBench()
let printed: Readonly<Record<OutputFormat, string>>

/** The run of all goldens: three files are read, and there is room for two. */
beforeAll(async () => {
  buildCommand()
  for (const name of ['one', 'two', 'three'])
    bench.write(`${name}.txt`, `${`The ${name} file says little. `.repeat(40)}\n`.repeat(12))
  bench.write('replies.json', [
    reply('I begin with the first.', ['read_file', { path: 'one.txt' }], 'call_1'),
    reply('Then the second.', ['read_file', { path: 'two.txt' }], 'call_2'),
    reply('And the third.', ['read_file', { path: 'three.txt' }], 'call_3'),
    reply('None of the three says much.'),
  ])
  const runs = OUTPUT_FORMATS.map(async (format) => {
    const words = ['run', '--model', 'wirelab:replies.json', '--session', format, '--output', format, 'Read the files.']
    const { code, out, err } = await bench.run(words, { env: smallWindow('wirelab-replies.json', 16_300) })
    expect([code, err]).toEqual([0, ''])
    return [format, out] as const
  })
  printed = Object.fromEntries(await Promise.all(runs)) as typeof printed
})
afterAll(bench.remove)

const TOKENS = ['input', 'output', 'cache_read', 'cache_write', 'tokens_before', 'tokens_after', 'before', 'after']

/**
 * The rule of masking: tokens, which depend on the path of the folder, are 1 or 0; times are 0; hashes are HASH, and the id of
 * the session is SESSION. What tools say is cut.
 */
function masked(format: OutputFormat): string {
  const lines = printed[format]
    .trimEnd()
    .split('\n')
    .map((line) =>
      JSON.parse(line, (key, value) => {
        if (TOKENS.includes(key) && typeof value === 'number') return Math.min(value, 1)
        if (key === 'milliseconds') return 0
        if (key === 'record_id') return 'HASH'
        if (key === 'session') return 'SESSION'
        if (key === 'id') return String(value).replace(new RegExp(`^${format}/`), 'SESSION/')
        return key === 'text' && value.length > 200 ? `${value.slice(0, 60)}…` : value
      }),
    )
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}

describe('F3 F4 BB-25 the output of a run with a compaction', () => {
  it('text', async () => {
    await expect(printed.text).toMatchFileSnapshot('golden/text.golden')
  })

  it('json is one line', async () => {
    expect(printed.json.match(/\n/g)).toHaveLength(1)
    const object = JSON.parse(masked('json'))
    await expect(`${JSON.stringify(object, null, 2)}\n`).toMatchFileSnapshot('golden/json.golden')
    expect(object.compactions).toHaveLength(1)
    expect(`${object.text}\n`).toBe(printed.text)
  })

  it('stream-json is a line for each event, and the object of json last', async () => {
    await expect(masked('stream-json')).toMatchFileSnapshot('golden/stream-json.golden')
    const last = masked('stream-json').trimEnd().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toEqual(JSON.parse(masked('json')))
  })

  it('tells the size of the compaction, before and after', () => {
    const [{ before, after, attempts }] = JSON.parse(printed.json).compactions
    expect(after).toBeLessThan(before)
    expect(before).toBeLessThan(16_300)
    expect(attempts).toBe(1)
  })
})
