import { PalimpsestError } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { answerLine, boundaryLine, call, summaryLine, text, userLine } from './claude-code/claude-session.test-data.ts'
import { importSession, importSessionText } from './import-session.ts'
import { chunked, itemsOf, jsonLines, outline, skippedCounts } from './session-text.test-data.ts'

const claude = jsonLines([userLine('u1', null, 'go'), answerLine('a1', 'u1', 'm1', text('yes'))])

describe('from a stream', () => {
  test('gives what the text gives, however it is cut', async () => {
    for (const size of [1, 7, 100_000]) {
      expect(await importSession(chunked(claude, size))).toEqual(importSessionText(claude))
    }
  })

  test('tells how far it is', async () => {
    const seen: number[] = []
    const session = await importSession(chunked(claude, 100), { onProgress: (bytes) => seen.push(bytes) })
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBe(claude.length)
    expect(session).toMatchObject({ bytes: claude.length, lines: 2 })
  })

  test('passes an error of the source on', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(claude)
      throw new Error('disk gone')
    }
    await expect(importSession(failing())).rejects.toThrow('disk gone')
  })
})

describe('the format', () => {
  test('shows in the first record that tells, records before it are not lost', () => {
    const session = importSessionText(`${JSON.stringify({ type: 'unheard-of' })}\n${claude}`)
    expect(session.format).toBe('claude-code')
    expect(outline(session)).toEqual(['user:go', 'assistant:yes'])
    expect(skippedCounts(session)).toEqual({ 'client record': 1 })
  })

  test('shows behind a torn first line, and behind one that looks like the beginning of a document', () => {
    for (const torn of ['{"type":"user","mess', '{"type":"file-history-snapshot","snapshot":{', 'noise', '[']) {
      const session = importSessionText(`${torn}\n${claude}`)
      expect(outline(session)).toEqual(['user:go', 'assistant:yes'])
      expect(skippedCounts(session)).toEqual({ 'not JSON': 1 })
    }
  })

  test('shows where all records are glued on one line', () => {
    expect(outline(importSessionText(claude.replaceAll('\n', '')))).toEqual(['user:go', 'assistant:yes'])
  })

  test('is the one that the caller names: a session of another client is refused, and named', () => {
    const error = errorOf(() => importSessionText(claude, { format: 'pi' }))
    expect([error.code, error.message]).toEqual([
      'invalid-input',
      'No pi session: it looks like a Claude Code session.',
    ])
    expect(error.hint).toBe('Leave the format out, or give `claude-code`.')
  })

  test('of clients that we do not read is named where it is easy to tell', () => {
    const others: [object, string][] = [
      [
        [{ ts: 1, type: 'say', say: 'text', text: 'x' }],
        'looks like a Cline or Roo Code session, which is not read yet',
      ],
      [{ sessionId: 'S', startTime: 't', chatMessages: [], timeline: [] }, 'an older Copilot CLI session'],
      [{ workspaceDirectory: '/p', history: [{ message: { role: 'user' } }] }, 'a Continue session'],
      [{ unheard: 1, of: [{ words: 'x' }] }, 'no request or session of a known format.'],
    ]
    for (const [record, words] of others) {
      expect(() => importSessionText(JSON.stringify(record))).toThrow(words)
      expect(() => importSessionText(JSON.stringify(record, null, 2))).toThrow(words)
    }
  })

  test('of a document shows as a whole, over many lines or on one, and where the caller names it', () => {
    const document = { sessionId: 'S', projectHash: 'H', messages: [{ id: 'm', type: 'user', content: 'hi' }] }
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      expect(importSessionText(text)).toMatchObject({ format: 'gemini-cli', items: [{ line: 1 }] })
      expect(importSessionText(text, { format: 'gemini-cli' })).toMatchObject({ format: 'gemini-cli', id: 'S' })
    }
  })

  test('of a damaged document shows in its whole pieces', () => {
    const said = (id: string) => ({ id, timestamp: 't', type: 'user', content: `${id} {"id":"x","type":"user"}` })
    const text = JSON.stringify({ sessionId: 'S', projectHash: 'H', messages: ['a', 'b', 'c'].map(said) }, null, 2)
    for (const damaged of [text.slice(0, -9), text.replace('"b', 'b'), `${text}]]]`]) {
      const session = importSessionText(damaged)
      expect(session.format).toBe('gemini-cli')
      expect(JSON.stringify(session.items)).toContain('a {')
      expect(skippedCounts(session)).toEqual({ 'not JSON': 1 })
    }
  })

  test('is not that of a text that quotes lines of a session', () => {
    const prose = Array.from({ length: 30 }, (_, at) => `Line ${at} of a text.`)
    const error = errorOf(() => importSessionText([...prose, claude, ...prose].join('\n')))
    expect(error).toMatchObject({
      code: 'invalid-input',
      message: 'Not JSON at line 1, nor on 59 of its other 61 lines.',
      hint: expect.stringContaining('Accepted are'),
    })
    const damaged = importSessionText([...prose.slice(0, 20), claude].join('\n'))
    expect(outline(damaged)).toEqual(['user:go', 'assistant:yes'])
    expect(skippedCounts(damaged)).toEqual({ 'not JSON': 20 })
  })
})

describe('errors', () => {
  test.each([
    ['', 'The file is empty.'],
    ['\n  \r\n', 'The file is empty.'],
    ['\n\nplain words\nmore', 'Not JSON at line 3.'],
    ['{"messages": [\n{"role": "user",\n', 'Not JSON at line 1.'],
    ['{"a":1}\n{"b":2}\n', 'JSON, but no request or session of a known format.'],
    ['{\n"a":1}\n', 'JSON, but no request or session of a known format.'],
    ...['"words"', '[]', 'null', '1', '[1,2]', '[\n1,\n2\n]', '1\n2\n'].map((json) => [
      json,
      'JSON, but no request or session of a known format.',
    ]),
  ])('%j', (file, message) => {
    const error = errorOf(() => importSessionText(file))
    expect(error).toMatchObject({ code: 'invalid-input', message })
    expect(error.hint).toContain('Claude Code, Codex, pi, Gemini CLI, opencode, Copilot CLI')
  })

  test('a long file of which no record tells its format is given up early', async () => {
    let read = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 1
        yield new TextEncoder().encode('{"level":"info"}\n')
      }
    }
    await expect(importSession(endless())).rejects.toThrow('no request or session of a known format')
    expect(read).toBeLessThan(2_000)
  })

  test('a body that is no request of the named dialect', () => {
    expect(() => importSessionText('{"a":1}', { format: 'request' })).toThrow('no request or session of a known format')
  })
})

describe('BB-24 import, export as a request, import again', () => {
  const codexSaid = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }
  const codex = (type: string, payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type, payload })
  const pi = (id: string, parentId: string | null, type: string, more: object) => ({
    id,
    parentId,
    type,
    timestamp: '2026-01-01T00:00:00Z',
    ...more,
  })
  const files = {
    'claude-code': [
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      boundaryLine('b1', 'a1', { trigger: 'auto' }),
      summaryLine('s1', 'b1', 'SUMMARY'),
      answerLine('a2', 's1', 'm2', text('yes')),
    ],
    codex: [
      codex('session_meta', { id: 'T' }),
      codex('response_item', codexSaid),
      codex('compacted', { message: '', replacement_history: [{ type: 'compaction', encrypted_content: 'ZW5j' }] }),
      codex('response_item', { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }),
    ],
    pi: [
      { type: 'session', version: 3, id: 'S', timestamp: '2026-01-01T00:00:00Z' },
      pi('a', null, 'message', { message: { role: 'user', content: 'go' } }),
      pi('b', 'a', 'compaction', { summary: 'SUMMARY', firstKeptEntryId: 'a', tokensBefore: 9 }),
      pi('c', 'b', 'message', {
        message: { role: 'assistant', content: [{ type: 'toolCall', id: 't', name: 'n', arguments: {} }] },
      }),
    ],
  }

  test.each(Object.entries(files))(
    '%s: the items stay, the compaction is noted or flagged as opaque, never an item',
    (format, records) => {
      const session = importSessionText(jsonLines(records))
      const key = session.dialect === 'openai-responses' ? 'input' : 'messages'
      const again = importSessionText(JSON.stringify({ model: 'm', [key]: itemsOf(session) }))
      expect(again.dialect).toBe(session.dialect)
      expect(itemsOf(again)).toEqual(itemsOf(session))
      const [compaction] = session.compactions
      expect(compaction?.kind).toBe(format === 'codex' ? 'opaque' : 'summary')
      expect(JSON.stringify(itemsOf(session))).not.toContain('SUMMARY')
      expect(JSON.stringify(itemsOf(session))).not.toContain('ZW5j')
    },
  )
})

test('a document over many lines may be long', () => {
  const messages = Array.from({ length: 3_000 }, (_, at) => ({ role: 'user', content: `line ${at}` }))
  const session = importSessionText(JSON.stringify({ messages }, null, 1))
  expect(session.items).toHaveLength(3_000)
})

function errorOf(run: () => unknown): PalimpsestError {
  try {
    run()
  } catch (error) {
    if (error instanceof PalimpsestError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
