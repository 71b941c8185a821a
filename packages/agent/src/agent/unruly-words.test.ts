import { describe, expect, test } from 'vitest'
import { benches, calls, says } from './agent.test-data.ts'

const bench = benches()

describe('F1 what was said once never stops the session for good:', () => {
  test.each(['', '  ', '\n\n', '\u00A0'])('a message without words (%j) is not sent, and not kept', async (text) => {
    const { start, lab } = await bench({ script: () => says('Here I am.') })
    const agent = await start()
    expect(await agent.send(text)).toMatchObject({ outcome: 'failed', error: { code: 'invalid-input' } })
    expect(lab.calls).toEqual([])
    expect(await agent.send('Hello')).toMatchObject({ outcome: 'answered' })
    expect(await agent.undoPoints()).toHaveLength(1)
  })

  test('signed thinking with a blank text behind it', async () => {
    const thought = { kind: 'reasoning', text: 'Hm.' } as const
    const { start } = await bench({
      script: ({ answered }) =>
        answered === 0
          ? { parts: [thought, { kind: 'text', text: '\n\n' }, ...calls(['list_files', {}]).parts] }
          : says('Looked.'),
    })
    const agent = await start()
    expect(await agent.send('Look.')).toMatchObject({ outcome: 'answered', steps: 2 })
    expect(await agent.send('And again.')).toMatchObject({ outcome: 'answered' })
  })

  test('a tool by a name that no provider takes back', async () => {
    const { start, lab } = await bench({
      script: ({ answered }) =>
        answered === 0 ? calls(['functions.list_files', {}], ['', {}], ['x'.repeat(300), {}]) : says('There is none.'),
    })
    const agent = await start()
    expect(await agent.send('Look.')).toMatchObject({ outcome: 'answered', steps: 2 })
    const names = [...(lab.calls.at(-1)?.bodyText ?? '').matchAll(/"type":"tool_use"[^{}]*?"name":"([^"]*)"/g)]
    expect(names.map(([, name]) => name)).toEqual(['functions_list_files', '_', 'x'.repeat(64)])
  })

  test('half of a surrogate pair, from the user, the model or a tool', async () => {
    const { start, lab } = await bench({
      script: ({ answered }) =>
        answered === 0
          ? { parts: [{ kind: 'text', text: 'Half: \ud83d' }, ...calls(['read_file', { path: 'no\udc00' }]).parts] }
          : says('Said.'),
    })
    const agent = await start()
    expect(await agent.send('Half: \udc00')).toMatchObject({ outcome: 'answered', texts: ['Half: \ufffd', 'Said.'] })
    expect(lab.calls.at(-1)?.bodyText).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i)
  })
})
