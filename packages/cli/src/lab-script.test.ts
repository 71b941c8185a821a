import { describe, expect, test } from 'vitest'
import { scratchFolder } from './built-command.test-data.ts'
import { answersIn, faultList, jsonObject } from './lab-script.ts'

describe('--fault', () => {
  test.each([
    ['overflow', { kind: 'overflow', when: 'before-first-byte' }],
    ['overflow:mid-stream,times=2,after=3', { kind: 'overflow', when: 'mid-stream', times: 2, after: 3 }],
    ['rate-limit,only=summary', { kind: 'rate-limit', body: true, only: 'summary' }],
    ['529:before-content', { kind: '529', when: 'before-content' }],
    ['stall', { kind: 'stall' }],
    ['413-html', { kind: '413-html' }],
  ])('%s', (text, fault) => {
    expect(faultList(text, [])).toEqual([fault])
  })

  test('more than one stand in order', () => {
    expect(faultList('413', faultList('stall', []))).toEqual([{ kind: 'stall' }, { kind: '413' }])
  })

  test.each(['', 'storm', 'overflow:later', '413:mid-stream', 'overflow,times=x', 'overflow,often=1'])(
    'not %j',
    (text) => {
      expect(() => faultList(text, [])).toThrow('It wants a kind')
    },
  )
})

test('--input is an object', () => {
  expect(jsonObject('{"a":1}')).toEqual({ a: 1 })
  for (const text of ['[1]', 'null', '{', '1']) expect(() => jsonObject(text)).toThrow('It wants a JSON object')
})

describe('--script FILE', () => {
  const folder = scratchFolder()

  test('replies as they stand there', async () => {
    const replies = [
      { parts: [{ kind: 'text', text: 'One.' }] },
      { parts: [{ kind: 'tool-call', id: 'c', name: 't', input: {} }] },
    ]
    expect(await answersIn(folder.file('replies.json', replies))).toEqual(replies)
  })

  test('the answers of a request', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
    ]
    const file = folder.file('request.json', { model: 'claude-opus-5', max_tokens: 9, messages })
    expect(await answersIn(file)).toEqual([{ parts: [{ kind: 'text', text: 'Hello.' }] }])
  })

  test('a file without answers is said', async () => {
    const messages = [{ role: 'user', content: 'Hi' }]
    const file = folder.file('empty.json', { model: 'claude-opus-5', max_tokens: 9, messages })
    await expect(answersIn(file)).rejects.toThrow('holds no answers of a model')
  })
})
