import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { damagedDocument, damagedLog, documentDamage, lineDamage } from '../damaged-text.test-data.ts'
import { importSessionText } from '../import-session.ts'
import type { ImportedSession } from '../imported-session.ts'
import { parsed } from '../parse-line.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'

const header = {
  sessionId: 'S',
  projectHash: 'H',
  startTime: '2026-01-01T00:00:00Z',
  kind: 'main',
  directories: ['/p'],
}
const snapshot = '<state_snapshot>what was done</state_snapshot>'

describe('a chat', () => {
  test('has the answer with its calls, and the results as one content behind it', () => {
    const session = read([header, user('u1', 'go'), answer('g1', 'look', [call('a', 'red'), call('b', 'blue')])])
    expect(itemsOf(session)).toEqual([
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { text: 'look' },
          { functionCall: { id: 'a', name: 'read_file', args: { path: 'a' } } },
          { functionCall: { id: 'b', name: 'read_file', args: { path: 'b' } } },
        ],
      },
      { role: 'user', parts: [response('a', 'red'), response('b', 'blue')] },
    ])
    expect(session).toMatchObject({
      dialect: 'gemini',
      id: 'S',
      cwd: '/p',
      model: 'm',
      calls: [{ position: 1, model: 'm', usage: { input: 9, cacheRead: 4, cacheWrite: 0, output: 3 } }],
      items: [{ line: 2 }, { line: 3 }, { line: 3, timestamp: Date.parse('2026-01-01T00:00:01Z') }],
    })
  })

  test('has a message that comes again in its last form, at its first place', () => {
    const first = answer('g1', 'look', [])
    const session = read([
      header,
      user('u1', 'go'),
      first,
      { $set: { summary: 'title' } },
      user('u2', 'and'),
      answer('g1', 'look', [call('a', 'red')]),
    ])
    expect(outline(session)).toEqual(['user:go', 'model:look+call a', 'user:result a', 'user:and'])
    expect(session.title).toBe('title')
    expect(session.skipped).toEqual({})
  })

  test('has no notes of the screen, no commands of the client, nothing that says nothing', () => {
    const note = { id: 'i', timestamp: 't', type: 'info', content: 'Update available' }
    const session = read([header, note, user('u0', '/chat save'), user('u1', 'go'), answer('g1', '', [])])
    expect(outline(session)).toEqual(['user:go'])
    expect(skippedCounts(session)).toEqual({ 'client record': 1, 'not sent to the model': 1, 'empty message': 1 })
  })

  test('tells what the client wrote in the user’s name', () => {
    const command = { ...user('u1', 'the long prompt of a command'), displayContent: [{ text: '/init' }] }
    const typed = { ...user('u2', 'my words'), displayContent: [{ text: 'my words' }] }
    const session = read([header, command, typed, user('u3', 'System: Please continue.')])
    expect(session.items.map(({ injected }) => injected)).toEqual([true, undefined, true])
  })

  test('keeps a call open that was cut off, and takes results that are a text', () => {
    const open = { id: 'a', name: 'read_file', args: {}, status: 'cancelled' }
    const text = { id: 'b', name: 'read_file', args: {}, result: 'plain' }
    expect(outline(read([header, user('u1', 'go'), answer('g1', 'x', [open])]))).toEqual(['user:go', 'model:x+call a'])
    expect(JSON.stringify(itemsOf(read([header, answer('g1', 'x', [text])])))).toContain(
      '"response":{"output":"plain"}',
    )
  })

  test('has a call once that stands in the content too', () => {
    const both = answer(
      'g1',
      [{ functionCall: { id: 'a', name: 'read_file', args: {} }, thoughtSignature: 's' }],
      [call('a', 'red')],
    )
    const session = read([header, both])
    expect(outline(session)).toEqual(['model:call a', 'user:result a'])
    expect(JSON.stringify(itemsOf(session))).toContain('thoughtSignature')
  })
})

describe('a rewind', () => {
  test('takes back the message and all behind it', () => {
    const session = read([
      header,
      user('u1', 'go'),
      answer('g1', 'one', []),
      user('u2', 'no'),
      { $rewindTo: 'u2' },
      user('u3', 'yes'),
    ])
    expect(outline(session)).toEqual(['user:go', 'model:one', 'user:yes'])
    expect(session.skipped).toEqual({ 'rolled-back turn': { count: 1, lines: [4] } })
  })

  test('to a message that the file lacks takes nothing back', () => {
    const session = read([header, user('u1', 'go'), { $rewindTo: 'lost' }])
    expect(outline(session)).toEqual(['user:go'])
    expect(skippedCounts(session)).toEqual({ 'rewind to an unknown message': 1 })
  })
})

describe('a list that replaces the messages', () => {
  const said = [user('u1', 'go'), answer('g1', 'one', [call('a', 'red')]), user('u2', 'more'), answer('g2', 'two', [])]

  test('with a state snapshot is a compaction: everything stays, the summary stands beside it', () => {
    const list = [user('s', snapshot), answer('ack', 'Got it.', []), said[2], said[3]]
    const session = read([header, ...said, { $set: { messages: list } }, user('u3', 'on')])
    expect(outline(session)).toEqual([
      'user:go',
      'model:one+call a',
      'user:result a',
      'user:more',
      'model:two',
      'user:on',
    ])
    expect(session.compactions).toEqual([
      { position: 5, trigger: 'unknown', kind: 'summary', tokensBefore: 12, keptFrom: 3, summary: snapshot },
    ])
    expect(session.skipped).toEqual({})
  })

  test('a snapshot that is a message of its own as well is one compaction', () => {
    const session = read([header, ...said, user('s', snapshot), { $set: { messages: [user('s', snapshot)] } }])
    expect(session.compactions).toHaveLength(1)
  })

  test('in which results are masked is a compaction without a summary; the results stay', () => {
    const masked = answer('g1', 'one', [call('a', 'masked')])
    const session = read([header, ...said, { $set: { messages: [said[0], masked, ...said.slice(2)] } }])
    expect(session.compactions).toMatchObject([{ position: 5, kind: 'micro' }])
    expect(JSON.stringify(itemsOf(session))).toContain('red')
    expect(JSON.stringify(itemsOf(session))).not.toContain('masked')
  })

  test('that says the same again, with the results as messages, says nothing', () => {
    const results = user('r', [response('a', 'red')])
    const renamed = { ...said[2], id: 'other' }
    const session = read([
      header,
      ...said,
      { $set: { messages: [said[0], said[1], results, said[2], renamed, said[3]] } },
    ])
    expect(outline(session)).toHaveLength(5)
    expect(session.compactions).toEqual([])
  })

  test('that ends before the newest messages takes them back', () => {
    const session = read([header, ...said, { $set: { messages: said.slice(0, 2) } }])
    expect(outline(session)).toEqual(['user:go', 'model:one+call a', 'user:result a'])
    expect(skippedCounts(session)).toEqual({ 'rolled-back turn': 2 })
  })

  test('brings what the client tells of the session in front of it', () => {
    const context = user('c', '<session_context>Today is Monday.</session_context>')
    const session = read([header, { $set: { messages: [context] } }, user('u1', 'go')])
    expect(session.items).toMatchObject([{ injected: true }, { item: { parts: [{ text: 'go' }] } }])
  })
})

test('the older document is the same chat; its places are numbers of messages', () => {
  const document = { ...header, messages: [user('u1', 'go'), answer('g1', 'one', [call('a', 'red')]), 7] }
  const session = importSessionText(JSON.stringify(document, null, 2))
  expect(outline(session)).toEqual(['user:go', 'model:one+call a', 'user:result a'])
  expect(session.items.map(({ line }) => line)).toEqual([1, 2, 2])
  expect(session.skipped).toEqual({ 'unknown record': { count: 1, lines: [3] } })
})

const message = fc.record({ calls: fc.nat({ max: 2 }), text: fc.constantFrom('', 'words', 'quo"te', '{"id":"x"}') })
const conversation = fc.array(message, { minLength: 1, maxLength: 5 }).map((messages) =>
  messages.flatMap(({ calls, text }, at) => [
    user(`u${at}`, `ask ${at}. ${text}`),
    answer(
      `g${at}`,
      `say ${at}. ${text}`,
      Array.from({ length: calls }, (_, one) => call(`c${at}-${one}`, text)),
    ),
  ]),
)

test('law: one damaged line never throws, and costs no other line its message', () => {
  fc.assert(
    fc.property(conversation, lineDamage, (messages, damage) => {
      const { text, left } = damagedLog([header, ...messages], damage)
      const session = importSessionText(text, { format: 'gemini-cli' })
      const whole = read(left)
      for (const item of itemsOf(whole)) expect(itemsOf(session)).toContainEqual(item)
    }),
    { numRuns: 100 },
  )
})

test('law: a damaged document never throws while a message of it is whole, and loses none of those', () => {
  fc.assert(
    fc.property(conversation, documentDamage, fc.constantFrom(0, 2), (messages, damage, indent) => {
      const names = { sessionId: 's'.repeat(36), projectHash: 'h'.repeat(64) }
      const text = JSON.stringify({ ...header, ...names, messages }, null, indent)
      const pieces = new Map(messages.map((one) => [String(one.id), pieceOf(one, indent)]))
      const damaged = damagedDocument(text, pieces, damage)
      const session = imported(damaged.text)
      // A document that lost the name of its messages and is JSON all the same is another one.
      fc.pre(session !== undefined || parsed(damaged.text) === undefined)
      const said = JSON.stringify(session === undefined ? [] : itemsOf(session))
      for (const id of damaged.whole) expect(said).toContain(`${id.startsWith('u') ? 'ask' : 'say'} ${id.slice(1)}.`)
    }),
    { numRuns: 100 },
  )
})

/** Undefined where nothing of a known format was left. */
function imported(text: string): ImportedSession | undefined {
  try {
    return importSessionText(text)
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === 'invalid-input') return undefined
    throw error
  }
}

function pieceOf(message: object, indent: number): string {
  return JSON.stringify(message, null, indent).replaceAll('\n', '\n    ')
}

function read(records: readonly unknown[]): ImportedSession {
  return importSessionText(jsonLines(records), { format: 'gemini-cli' })
}

function user(id: string, content: unknown) {
  return { id, timestamp: '2026-01-01T00:00:00Z', type: 'user', content }
}

function answer(id: string, content: unknown, toolCalls: readonly object[]) {
  const tokens = { input: 9, output: 1, cached: 4, thoughts: 2, tool: 0, total: 12 }
  const thoughts = [{ subject: 'Thinking', description: 'about it' }]
  return { id, timestamp: '2026-01-01T00:00:01Z', type: 'gemini', content, thoughts, model: 'm', tokens, toolCalls }
}

function call(id: string, output: string) {
  return { id, name: 'read_file', args: { path: id }, result: [response(id, output)], status: 'success' }
}

function response(id: string, output: string) {
  return { functionResponse: { id, name: 'read_file', response: { output } } }
}

function outline(session: ImportedSession): string[] {
  return itemsOf(session).map((item) => {
    const { role, parts } = item as { role: string; parts: Record<string, { id?: string } & string>[] }
    const words = parts.map(({ text, functionCall, functionResponse }) =>
      functionCall ? `call ${functionCall.id}` : functionResponse ? `result ${functionResponse.id}` : text,
    )
    return `${role}:${words.join('+')}`
  })
}
