import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { damagedDocument, documentDamage } from '../damaged-text.test-data.ts'
import { importSessionText } from '../import-session.ts'
import type { ImportedSession } from '../imported-session.ts'
import { parsed } from '../parse-line.ts'
import { itemsOf, skippedCounts } from '../session-text.test-data.ts'
import { answered, asked, idOf, type Said, sessionInfo, text, tool } from './opencode-session.test-data.ts'

describe('an export', () => {
  test('has what opencode sends of each message, as a prompt of the AI SDK', () => {
    const picture = { type: 'file', mime: 'image/png', filename: 'a.png', url: 'data:image/png;base64,aGk=' }
    const session = read([
      asked(1, [text('look'), picture]),
      answered(2, [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm', metadata: { p: { signature: 's' } } },
        text('I look'),
        tool('a', 'red'),
        { type: 'step-finish', reason: 'tool-calls' },
        { type: 'patch', hash: 'h', files: [] },
      ]),
    ])
    expect(itemsOf(session)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', mediaType: 'image/png', data: 'aGk=', filename: 'a.png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
          { type: 'text', text: 'I look' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'a' } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'red' } }],
      },
    ])
    expect(session).toMatchObject({
      format: 'opencode',
      dialect: 'ai-sdk',
      id: 'ses_1',
      cwd: '/p',
      title: 'A title',
      model: 'm',
      calls: [{ position: 1, model: 'm', usage: { input: 9, cacheRead: 5, cacheWrite: 1, output: 3 } }],
      items: [{ line: 1, timestamp: 10 }, { line: 2 }, { line: 2 }],
      skipped: {},
    })
  })

  test('can be a list of messages, and messages of which nothing is known but their parts', () => {
    const session = importSessionText(
      JSON.stringify([asked(1, [text('go')]), 7, { info: { role: 'user' }, parts: [text('on')] }]),
    )
    expect(outline(session)).toEqual(['user:go', 'user:on'])
    expect(session.skipped).toEqual({ 'unknown record': { count: 1, lines: [2] } })
  })

  test('tells texts that opencode put into a user’s message; those that were not sent are no items', () => {
    const folder = { type: 'file', mime: 'application/x-directory', url: 'file:///p' }
    const session = read([
      asked(1, [
        text('mine'),
        text('Called the Read tool', { synthetic: true }),
        text('its result', { synthetic: true }),
        folder,
      ]),
      asked(2, [text('shown only', { ignored: true })]),
      asked(3, [{ type: 'subtask', prompt: 'do this', description: 'd', agent: 'a' }]),
    ])
    expect(outline(session)).toEqual([
      'user:mine',
      'user:Called the Read tool+its result',
      'user:A subagent was given this task: do this',
    ])
    expect(session.items.map(({ injected }) => injected)).toEqual([undefined, true, true])
    expect(skippedCounts(session)).toEqual({ 'not sent to the model': 1 })
  })

  test('has every step of an answer that older versions kept in one message', () => {
    const step = (id: string, output: number) => [
      { type: 'step-start' },
      tool(id, 'x'),
      { type: 'step-finish', tokens: { input: 1, output, reasoning: 0, cache: { read: 0, write: 0 } } },
    ]
    const session = read([asked(1, [text('go')]), answered(2, [...step('a', 1), ...step('b', 2)])])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call a',
      'tool:result a',
      'assistant:call b',
      'tool:result b',
    ])
    expect(session.calls.map(({ position, usage }) => [position, usage?.output])).toEqual([
      [1, 1],
      [3, 2],
    ])
  })

  test('has results of every kind: errors, what was said before an interruption, pictures, the provider’s own', () => {
    const error = { status: 'error', input: {}, error: 'no such file' }
    const cut = { status: 'error', input: {}, error: 'aborted', metadata: { interrupted: true, output: 'so far' } }
    const running = { type: 'tool', callID: 'd', tool: 'read', state: { status: 'running', input: {} } }
    const picture = { attachments: [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,aGk=' }] }
    const session = read([
      asked(1, [text('go')]),
      answered(2, [tool('a', '', error), tool('b', '', cut), tool('c', 'seen', picture), running]),
      answered(3, [{ ...tool('e', 'found'), metadata: { providerExecuted: true } }]),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call a+call b+call c+call d',
      'tool:result a+result b+result c',
      'assistant:call e+result e',
    ])
    expect(JSON.stringify(itemsOf(session)[2])).toBe(
      JSON.stringify({
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'read',
            output: { type: 'error-text', value: 'no such file' },
          },
          { type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'text', value: 'so far' } },
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'read',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'seen' },
                { type: 'media', mediaType: 'image/png', data: 'aGk=' },
              ],
            },
          },
        ],
      }),
    )
  })

  test('counts what it cannot use: answers that ended before their first word, unknown parts, copies', () => {
    const session = read([
      asked(1, [text('go')]),
      answered(2, [{ type: 'step-start' }], { error: { name: 'MessageAbortedError' } }),
      answered(3, [text('yes'), { type: 'hologram' }]),
      answered(3, [text('again')]),
      asked(4, []),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes'])
    expect(skippedCounts(session)).toEqual({
      'aborted answer': 1,
      'unknown part': 1,
      'duplicate message': 1,
      'empty message': 1,
    })
  })
})

describe('a compaction', () => {
  const before = [
    asked(1, [text('go')]),
    answered(2, [text('one')]),
    asked(3, [text('more')]),
    answered(4, [text('two')]),
  ]
  const order = (auto: boolean) => asked(5, [{ type: 'compaction', auto, tail_start_id: idOf(3) }])
  const summary = answered(6, [text('SUMMARY')], { summary: true, mode: 'compaction', agent: 'compaction' })

  test('stands beside the items; neither the order nor the summary is one', () => {
    const goOn = asked(7, [text('Continue', { synthetic: true })])
    const session = read([...before, order(true), summary, goOn])
    expect(outline(session)).toEqual(['user:go', 'assistant:one', 'user:more', 'assistant:two', 'user:Continue'])
    expect(session.compactions).toEqual([
      { position: 4, trigger: 'auto', kind: 'summary', tokensBefore: 12, keptFrom: 2, summary: 'SUMMARY' },
    ])
    expect(session.items[4]).toMatchObject({ injected: true })
    expect(session.calls).toHaveLength(2)
    expect(session.skipped).toEqual({})
  })

  test('is manual where the user asked for it, and of unknown origin in versions that have no order', () => {
    expect(read([...before, order(false), summary]).compactions).toMatchObject([{ trigger: 'manual' }])
    expect(read([...before, summary]).compactions).toMatchObject([
      { trigger: 'unknown', position: 4, summary: 'SUMMARY' },
    ])
  })

  test('that failed replaced nothing', () => {
    const failed = answered(6, [], { summary: true, error: { name: 'APIError' } })
    const session = read([...before, order(true), failed])
    expect(session.compactions).toEqual([])
    expect(skippedCounts(session)).toEqual({ 'unfinished compaction': 2 })
  })

  test('of results alone is noted where it happened; the results are there as they were', () => {
    const cleared = { time: { start: 1, end: 2, compacted: 35 } }
    const session = read([
      asked(1, [text('go')]),
      answered(2, [tool('a', 'red', cleared), tool('b', 'blue', cleared)]),
      asked(4, [text('more')]),
    ])
    expect(session.compactions).toEqual([{ position: 3, trigger: 'auto', kind: 'micro' }])
    expect(JSON.stringify(itemsOf(session))).toContain('red')
  })
})

test('what the user took back is not in the transcript: from a message on, or from a part of one', () => {
  const said = [asked(1, [text('go')]), answered(2, [text('one'), text('two')]), asked(3, [text('no')])]
  const reverted = (revert: object) =>
    importSessionText(JSON.stringify({ info: { ...sessionInfo, revert }, messages: said }))
  expect(outline(reverted({ messageID: idOf(2) }))).toEqual(['user:go'])
  const part = reverted({ messageID: idOf(2), partID: 'prt_2_1' })
  expect(outline(part)).toEqual(['user:go', 'assistant:one'])
  expect(part.skipped).toEqual({ 'rolled-back turn': { count: 1, lines: [3] } })
})

const message = fc.record({ calls: fc.nat({ max: 2 }), words: fc.constantFrom('words', 'quo"te', '{"id":"x"}') })
const conversation = fc
  .array(message, { minLength: 1, maxLength: 5 })
  .map((messages) =>
    messages.flatMap(({ calls, words }, at) => [
      asked(2 * at, [text(`say ${2 * at}. ${words}`)]),
      answered(2 * at + 1, [
        text(`say ${2 * at + 1}. ${words}`),
        ...Array.from({ length: calls }, (_, one) => tool(`c${at}-${one}`, words)),
      ]),
    ]),
  )

test('law: a damaged export never throws while a message of it is whole, and loses none of those', () => {
  fc.assert(
    fc.property(conversation, documentDamage, fc.constantFrom(0, 2), (messages, damage, indent) => {
      const file = JSON.stringify({ info: sessionInfo, messages }, null, indent)
      const pieces = new Map(messages.map((one) => [one.info.id, pieceOf(one, indent)]))
      const damaged = damagedDocument(file, pieces, damage)
      const session = imported(damaged.text)
      // A document that lost the name of its messages and is JSON all the same is another one.
      fc.pre(session !== undefined || parsed(damaged.text) === undefined)
      const said = JSON.stringify(session === undefined ? [] : itemsOf(session))
      for (const id of damaged.whole) expect(said).toContain(`say ${Number(id.slice(4))}.`)
    }),
    { numRuns: 100 },
  )
})

/** Undefined where nothing of a known format was left. */
function imported(file: string): ImportedSession | undefined {
  try {
    return importSessionText(file)
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === 'invalid-input') return undefined
    throw error
  }
}

function pieceOf(one: Said, indent: number): string {
  return JSON.stringify(one, null, indent).replaceAll('\n', '\n    ')
}

function read(messages: readonly Said[]): ImportedSession {
  return importSessionText(JSON.stringify({ info: sessionInfo, messages }))
}

function outline(session: ImportedSession): string[] {
  return itemsOf(session).map((item) => {
    const { role, content } = item as { role: string; content: Record<string, unknown>[] }
    const words = content.map(({ type, text: said, toolCallId }) => {
      if (type === 'tool-call') return `call ${toolCallId}`
      return type === 'tool-result' ? `result ${toolCallId}` : said
    })
    return `${role}:${words.join('+')}`
  })
}
