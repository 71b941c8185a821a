import { dialectByName, PalimpsestError } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { importSessionText } from '../importers/import-session.ts'
import { itemsOf } from '../importers/session-text.test-data.ts'
import { exportSession } from './export-session.ts'
import { exportedOfImport } from './exported-of-import.ts'
import { EXPORT_FORMATS, type ExportedSession, type ExportFormat } from './exported-session.ts'
import { recordOf, TEN_MESSAGES } from './session-files.test-data.ts'

const bodyOf = (session: ExportedSession, format: ExportFormat, view?: 'transcript' | 'view') =>
  JSON.parse(exportSession(session, format, view === undefined ? {} : { view }).text)

function sessionOf(dialect: string, items: readonly object[], more: Partial<ExportedSession> = {}): ExportedSession {
  return {
    id: 's',
    dialect,
    items: items.map((item) => ({ item })),
    createdAt: 0,
    calls: [],
    compactions: [],
    ...more,
  }
}

const lossesOf = (session: ExportedSession, format: ExportFormat) =>
  exportSession(session, format).losses.map(({ what, count, positions }) => [what, count, ...positions])

describe('in its own dialect', () => {
  const file =
    '{ "model":"m", "seed":18446744073709551615, "temperature":1.0,\n "messages":[{"role":"system","content":"S"},' +
    '{"role":"user","content":"\\u00e9","x":{"n":2E1}},{"role":"assistant","content":"a"}], "x_future": [ 1.50 ] }'

  test('a request keeps its digits, unknown fields and odd spellings', () => {
    const session = exportedOfImport(importSessionText(file))
    expect(session.items).toHaveLength(2)
    expect(exportSession(session, 'openai-chat')).toEqual({ text: `${file}\n`, losses: [] })
  })

  test('under a record only what the record changed is written anew', () => {
    const record = recordOf({ keptFrom: 1, length: 2, summary: 'SUMMARY' })
    const compactions = [{ kind: 'record', position: 2, record }] as const
    const { text } = exportSession({ ...exportedOfImport(importSessionText(file)), compactions }, 'openai-chat', {
      view: 'view',
    })
    expect(text).toContain('18446744073709551615')
    expect(text).toContain('[ 1.50 ]')
    expect(JSON.parse(text).messages).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'SUMMARY' },
      { role: 'assistant', content: 'a' },
    ])
  })

  test('a log keeps its frame around the items', () => {
    const frame = { model: 'm', max_tokens: 9, system: 'S', tools: [{ name: 'read' }], x_future: [1], messages: [] }
    expect(bodyOf({ ...TEN_MESSAGES, frame }, 'anthropic-messages')).toEqual({
      ...frame,
      messages: TEN_MESSAGES.items.map(({ item }) => item),
    })
    const chatFrame = { model: 'm', messages: [{ role: 'system', content: 'S' }] }
    const session = sessionOf('openai-chat', [{ role: 'user', content: 'q' }], { frame: chatFrame })
    expect(bodyOf(session, 'openai-chat').messages).toEqual([...chatFrame.messages, { role: 'user', content: 'q' }])
  })

  test('a session without a frame gets a model, and definitions of its tools where calls are refused without', () => {
    const dialect = dialectByName('anthropic-messages')
    const body = bodyOf(TEN_MESSAGES, 'anthropic-messages')
    expect(body).toMatchObject({ model: 'model-a', tools: [{ name: 'read', input_schema: { type: 'object' } }] })
    expect(dialect.check(dialect.open(body))).toEqual([])
    expect(lossesOf(TEN_MESSAGES, 'anthropic-messages')).toEqual([
      ['added: definitions of tools, by their names alone', 1],
    ])
  })

  test('binary data becomes base64, messages of LangChain plain ones', () => {
    const image = { image: { format: 'png', source: { bytes: Uint8Array.of(1, 2, 3) } } }
    const bedrock = sessionOf('bedrock-converse', [{ role: 'user', content: [{ text: 'q' }, image] }])
    expect(bodyOf(bedrock, 'bedrock-converse').messages[0].content[1].image.source.bytes).toBe('AQID')
    expect(bodyOf(bedrock, 'gemini').contents[0].parts[1].inlineData).toEqual({ mimeType: 'image/png', data: 'AQID' })
    const id = ['langchain_core', 'messages', 'HumanMessage']
    const kwargs = { content: 'q', additional_kwargs: {} }
    const langchain = sessionOf('langchain', [{ lc: 1, type: 'constructor', id, kwargs }])
    expect(bodyOf(langchain, 'langchain').messages).toEqual([{ type: 'human', ...kwargs }])
  })
})

describe('in another dialect', () => {
  const called = (id: string) => [
    { role: 'user', content: 'q' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{"n": 1.0}' } }],
    },
    { role: 'tool', tool_call_id: id, content: 'r' },
  ]

  test('ids that the target refuses are rewritten, on the call and on its result, and told', () => {
    const session = sessionOf('openai-chat', [...called('a:b'), ...called('a.b'), ...called('fine')])
    const ids = bodyOf(session, 'anthropic-messages').messages.flatMap(({ content }: { content: unknown }) =>
      Array.isArray(content) ? content.map((block) => block.id ?? block.tool_use_id) : [],
    )
    expect(ids.every((id: string) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true)
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2], 'fine', 'fine'])
    expect(ids[0]).not.toBe(ids[2])
    expect(lossesOf(session, 'anthropic-messages')).toContainEqual(['call id (rewritten)', 2, 1, 4])
    const long = sessionOf('anthropic-messages', [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'x'.repeat(90), name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x'.repeat(90), content: 'r' }] },
    ])
    expect(bodyOf(long, 'openai-chat').messages[1].tool_calls[0].id).toHaveLength(40)
  })

  test('arguments stay spelled as they were between formats that write them as text', () => {
    const session = sessionOf('openai-chat', called('c'))
    expect(bodyOf(session, 'openai-responses').input[1].arguments).toBe('{"n": 1.0}')
    const exact = JSON.parse(JSON.stringify(called('c')).replace('1.0', '12345678901234567890'))
    expect(lossesOf(sessionOf('openai-chat', exact), 'gemini')).toContainEqual(['digits of large numbers', 1, 1])
  })

  test('results that came later stand behind their calls, what stood between them behind the results', () => {
    const session = sessionOf('openai-responses', [
      { role: 'user', content: 'q' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'f', arguments: '{}' },
      { role: 'user', content: 'wait' },
      { type: 'function_call_output', call_id: 'b', output: 'B' },
      { type: 'function_call_output', call_id: 'a', output: 'A' },
    ])
    expect(bodyOf(session, 'anthropic-messages').messages.slice(2)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'A' },
          { type: 'tool_result', tool_use_id: 'b', content: 'B' },
        ],
      },
      { role: 'user', content: 'wait' },
    ])
  })

  test('reasoning stays as text where the target has it unsigned, and leaves elsewhere; both are told', () => {
    const session = sessionOf('anthropic-messages', [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'ZW5j' },
          { type: 'text', text: 'a' },
        ],
      },
    ])
    expect(bodyOf(session, 'openai-chat').messages[1]).toEqual({
      role: 'assistant',
      content: 'a',
      reasoning_content: 'hm',
    })
    expect(lossesOf(session, 'openai-chat')).toEqual([
      ['encrypted reasoning', 1, 1],
      ['signature of reasoning', 1, 1],
    ])
    expect(exportSession(session, 'openai-responses').text).not.toContain('hm')
    expect(lossesOf(session, 'openai-responses')).toContainEqual(['reasoning', 1, 1])
  })

  test('a picture in a result goes where the target has a place; a file that it cannot take leaves a note', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'aW1n' }
    const session = sessionOf('anthropic-messages', [
      { role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source }] }] },
    ])
    const { messages } = bodyOf(session, 'openai-chat')
    expect(messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text: '[document]' }] })
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 't', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of t:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
        ],
      },
    ])
    expect(lossesOf(session, 'openai-chat')).toEqual([['document (a note stands in its place)', 1, 0]])
    expect(bodyOf(session, 'openai-responses').input[0].content[0]).toEqual({
      type: 'input_file',
      file_url: 'https://example.com/a.pdf',
    })
  })

  test('what has no counterpart is told, with how often and where: settings, marks, unknown fields and blocks', () => {
    const marked = { type: 'text', text: 'q', cache_control: { type: 'ephemeral' }, x_note: 1 }
    const session = sessionOf('anthropic-messages', [{ role: 'user', content: [marked, marked, { type: 'future' }] }], {
      frame: { model: 'm', max_tokens: 9, metadata: { user_id: 'u' }, messages: [] },
    })
    expect(lossesOf(session, 'openai-chat')).toEqual([
      ['cache mark', 2, 0],
      ['field "x_note"', 2, 0],
      ['block "future"', 1, 0],
      ['setting "metadata"', 1],
    ])
  })

  test('settings that both have are carried, by their names there', () => {
    const frame = {
      model: 'm',
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['x'],
      system: 'S',
      messages: [],
    }
    const session = sessionOf('anthropic-messages', [{ role: 'user', content: 'q' }], { frame })
    expect(bodyOf(session, 'gemini')).toEqual({
      systemInstruction: { parts: [{ text: 'S' }] },
      generationConfig: { maxOutputTokens: 9, temperature: 0.5, topP: 0.9, stopSequences: ['x'] },
      contents: [{ role: 'user', parts: [{ text: 'q' }] }],
    })
  })

  test.each(['anthropic-messages', 'gemini', 'bedrock-converse'] as const)(
    'a conversation that the assistant begins, with blanks and system messages inside, becomes legal in %s',
    (format) => {
      const session = sessionOf('openai-chat', [
        { role: 'assistant', content: 'hello ' },
        { role: 'system', content: 'now' },
        { role: 'user', content: ' ' },
        { role: 'assistant', content: 'so \n' },
      ])
      const dialect = dialectByName(format)
      expect(dialect.check(dialect.open(bodyOf(session, format)))).toEqual([])
      expect(lossesOf(session, format)).toContainEqual(['added: a first message of the user', 1])
    },
  )

  test('nothing that can be said is still a request that every format takes', () => {
    const session = sessionOf('anthropic-messages', [{ role: 'user', content: [{ type: 'future' }] }])
    for (const format of EXPORT_FORMATS.slice(1, 8)) {
      const dialect = dialectByName(format)
      expect([format, dialect.check(dialect.open(bodyOf(session, format)))]).toEqual([format, []])
    }
  })

  test('Codex and Responses share their items: they stay as they are', () => {
    const items = [
      { type: 'message', role: 'user', content: 'q', x_future: 1 },
      { type: 'reasoning', summary: [], encrypted_content: 'ZW5j' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
    ]
    const frame = { model: 'm', instructions: 'S', max_output_tokens: 9, input: [] }
    const codex = bodyOf(sessionOf('openai-responses', items, { frame }), 'openai-codex')
    expect(codex).toMatchObject({ input: items, instructions: 'S', store: false, stream: true })
    expect(codex).not.toHaveProperty('max_output_tokens')
    expect(bodyOf(sessionOf('openai-codex', items, { frame }), 'openai-responses').input).toEqual(items)
    // Codex stores nothing, so it could not find this by its id.
    const stored = [
      { type: 'message', role: 'user', content: 'q' },
      { type: 'item_reference', id: 'msg_1' },
    ]
    const session = sessionOf('openai-responses', stored, { frame })
    expect(bodyOf(session, 'openai-codex').input).toHaveLength(1)
    expect(lossesOf(session, 'openai-codex')).toContainEqual(['item "item_reference"', 1, 1])
  })
})

describe('what is asked for and is not there', () => {
  const refused = (run: () => unknown) => {
    try {
      run()
    } catch (error) {
      if (error instanceof PalimpsestError) return [error.code, error.message, error.hint]
      throw error
    }
    return undefined
  }

  test('a format', () => {
    expect(refused(() => exportSession(TEN_MESSAGES, 'yaml' as ExportFormat))).toEqual([
      'invalid-input',
      'Sessions cannot be exported as "yaml".',
      expect.stringContaining('claude-code, pi, log'),
    ])
  })

  test('a place for markers in a request', () => {
    const run = () => exportSession(TEN_MESSAGES, 'gemini', { view: 'full-with-markers' })
    expect(refused(run)?.slice(0, 2)).toEqual([
      'invalid-input',
      'A request in "gemini" has no place for compaction markers.',
    ])
  })

  test('a log, or a view of one', () => {
    expect(refused(() => exportSession(TEN_MESSAGES, 'log'))?.[1]).toBe(
      'This session has no log: it was read from a file.',
    )
    const run = () => exportSession({ ...TEN_MESSAGES, entries: [] }, 'log', { view: 'view' })
    expect(refused(run)?.[0]).toBe('invalid-input')
  })

  test('a dialect', () => {
    expect(refused(() => exportSession({ ...TEN_MESSAGES, dialect: 'odd' }, 'pi'))?.[1]).toBe(
      'There is no wire format "odd".',
    )
  })
})

test('an imported request without a record has the same view as transcript', () => {
  const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'q' }], system: 'S' }
  const session = exportedOfImport(importSessionText(JSON.stringify(request)))
  expect(bodyOf(session, 'anthropic-messages', 'view')).toEqual(request)
  expect(itemsOf(importSessionText(exportSession(session, 'pi').text))).toEqual(request.messages)
})
