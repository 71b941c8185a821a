import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { gemini } from './index.ts'
import type { GeminiContent, GeminiPart, GeminiRequest } from './items.ts'

const user = (...parts: GeminiPart[]): GeminiContent => ({ role: 'user', parts })
const model = (...parts: GeminiPart[]): GeminiContent => ({ role: 'model', parts })
const text = (words: string): GeminiPart => ({ text: words })
const call = (name: string, id?: string): GeminiPart => ({ functionCall: { name, args: {}, ...(id && { id }) } })
const answer = (name: string, id?: string): GeminiPart => ({
  functionResponse: { name, response: { output: 'x' }, ...(id && { id }) },
})

function brokenRules(contents: readonly GeminiContent[], strictAlternation = false): readonly string[] {
  return gemini.check({ system: [], items: contents }, { strictAlternation }).map((found) => found.rule)
}

/** A rule with a conversation that breaks it and no other. */
const VIOLATIONS: readonly (readonly [string, readonly unknown[]])[] = [
  ['gemini/contents-empty', []],
  ['gemini/role', [user(text('a')), { role: 'system', parts: [text('b')] }]],
  ['gemini/first-content-not-user', [model(text('a'))]],
  ['gemini/content-without-parts', [user(text('a')), model()]],
  ['gemini/content-without-parts', [user(text('a')), { role: 'model' }]],
  ['gemini/part-empty', [user(text('a')), model({})]],
  ['gemini/call-outside-model', [user(text('a'), call('f'))]],
  ['gemini/response-in-model', [user(text('a')), model(answer('f'))]],
  ['gemini/call-without-response', [user(text('a')), model(call('f')), user(text('b'))]],
  ['gemini/call-without-response', [user(text('a')), model(call('f')), model(text('b'))]],
  ['gemini/response-without-call', [user(text('a')), user(answer('f'))]],
  ['gemini/response-without-call', [user(answer('f'))]],
  ['gemini/response-count', [user(text('a')), model(call('f'), call('f')), user(answer('f'))]],
  ['gemini/response-count', [user(text('a')), model(call('f')), user(answer('f'), answer('f'))]],
  ['gemini/response-name', [user(text('a')), model(call('f'), call('g')), user(answer('f'), answer('f'))]],
  ['gemini/response-id', [user(text('a')), model(call('f', '1')), user(answer('f', '2'))]],
]

describe('the check of the Gemini dialect', () => {
  test.each(VIOLATIONS)('%s fires alone', (rule, contents) => {
    expect(brokenRules(contents as readonly GeminiContent[])).toEqual([rule])
  })

  test('two contents of one role are a fault only where roles must alternate', () => {
    const contents = [user(text('a')), user(text('b'))]
    expect(brokenRules(contents)).toEqual([])
    expect(brokenRules(contents, true)).toEqual(['gemini/roles-do-not-alternate'])
  })

  test('words of the user behind results stay a content of their own, also where roles alternate', () => {
    expect(brokenRules([user(text('a')), model(call('f')), user(answer('f')), user(text('stop'))], true)).toEqual([])
  })

  test('a violation tells where it is and what helps', () => {
    const items = [user(text('a')), model(call('f'), call('g')), user(answer('f'))]
    expect(gemini.check({ system: [], items })).toEqual([
      {
        rule: 'gemini/response-count',
        position: 2,
        message: '2 function calls have 1 responses.',
        fix: 'Answer each function call once, all in one content.',
      },
    ])
  })

  test('calls at the end are still open, and one role name of responses is as good as the other', () => {
    expect(brokenRules([user(text('a')), model(call('f'), call('f'))])).toEqual([])
    expect(brokenRules([user(text('a')), model(call('f')), { role: 'function', parts: [answer('f')] }])).toEqual([])
    expect(brokenRules([{ parts: [text('a')] }, model(call('f')), { parts: [answer('f')] }])).toEqual([])
  })

  test('responses may come in any order, and repeated names without ids count', () => {
    const calls = model(call('f', '1'), call('f', '2'), call('g', '3'))
    expect(brokenRules([user(text('a')), calls, user(answer('g', '3'), answer('f', '2'), answer('f', '1'))])).toEqual(
      [],
    )
    expect(brokenRules([user(text('a')), model(call('f'), call('f')), user(answer('f'), answer('f'))])).toEqual([])
  })

  test('TC-02 PARALLEL ten parallel calls are answered by ten responses or not at all', () => {
    const names = Array.from({ length: 10 }, (_, at) => `tool_${at}`)
    const calls = model(...names.map((name) => call(name)))
    const contents = [user(text('go')), calls, user(...names.map((name) => answer(name))), model(text('done'))]
    expect(brokenRules(contents)).toEqual([])
    for (const missing of names) {
      const some = user(...names.filter((name) => name !== missing).map((name) => answer(name)))
      expect(brokenRules(contents.with(2, some))).toEqual(['gemini/response-count'])
    }
    expect(brokenRules(contents.toSpliced(1, 1))).toEqual(['gemini/response-without-call'])
    expect(brokenRules(contents.toSpliced(2, 1))).toEqual(['gemini/call-without-response'])
  })
})

const corpus = fileURLToPath(new URL('../../../../../../shared/corpus/gemini-api/', import.meta.url))

describe('recorded requests', () => {
  const files = filesOf(corpus)
  test.skipIf(files.length === 0)('pass the check and come back as they were (skipped without the corpus)', () => {
    for (const file of files) {
      const body = readFileSync(corpus + file, 'utf8')
      const request = JSON.parse(body) as GeminiRequest
      expect(gemini.recognises(request)).toBe(1)
      const opened = gemini.open(request)
      expect(gemini.check(opened)).toEqual([])
      expect(JSON.stringify(gemini.close(request, opened))).toBe(JSON.stringify(JSON.parse(body)))
    }
  })
})

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}
