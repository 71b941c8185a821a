import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'

type Fields = Record<string, unknown>

const line = (type: string, payload: Fields): Fields => ({ timestamp: '2026-01-02T03:04:05.000Z', type, payload })
const item = (payload: Fields) => line('response_item', payload)
const event = (type: string, more: Fields = {}) => line('event_msg', { type, ...more })
const meta = (id: string, more: Fields = {}) =>
  line('session_meta', { id, cwd: '/project', originator: 'codex_cli_rs', ...more })
const said = (role: string, words: string): Fields => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: words }],
})
const call = (id: string): Fields => ({
  type: 'function_call',
  name: 'shell',
  arguments: '{"command":"ls"}',
  call_id: id,
})
const output = (id: string, words = `output of ${id}`): Fields => ({
  type: 'function_call_output',
  call_id: id,
  output: words,
})
const tokens = (input: number, out: number, total = input + out) =>
  event('token_count', {
    info: {
      total_token_usage: { input_tokens: 999_999 },
      last_token_usage: {
        input_tokens: input,
        cached_input_tokens: Math.floor(input / 2),
        output_tokens: out,
        total_tokens: total,
      },
      model_context_window: 272_000,
    },
  })

const read = (records: readonly unknown[]) => importSessionText(jsonLines(records))
/** Items in one word: what was said, or the kind and id of a call or result. */
const words = (records: readonly unknown[]) => itemsOf(read(records)).map(word)
const word = (value: unknown) => {
  const { type, content, call_id: id } = value as { type: string; content?: { text: string }[]; call_id?: string }
  return content?.[0]?.text ?? (id === undefined ? type : `${type} ${id}`)
}

describe('items', () => {
  test('are the payloads of response items as recorded; events say nothing new', () => {
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'ZW5j', unknown_field: 1.0 }
    const unknown = { type: 'newly_invented', payload: { a: [null] } }
    const session = read([
      meta('T'),
      line('turn_context', { cwd: '/project', model: 'model-a' }),
      event('task_started', { model_context_window: 272_000 }),
      item(said('user', 'hi')),
      event('user_message', { message: 'hi' }),
      item(reasoning),
      item(call('c1')),
      item(output('c1')),
      item(unknown),
      event('agent_message', { message: 'done' }),
      item(said('assistant', 'done')),
    ])
    expect(itemsOf(session)).toEqual([
      said('user', 'hi'),
      reasoning,
      call('c1'),
      output('c1'),
      unknown,
      said('assistant', 'done'),
    ])
    expect(session).toMatchObject({
      format: 'codex',
      dialect: 'openai-responses',
      id: 'T',
      cwd: '/project',
      model: 'model-a',
      window: 272_000,
    })
    expect(session.items[0]).toMatchObject({ line: 4, timestamp: Date.parse('2026-01-02T03:04:05.000Z') })
    expect(skippedCounts(session)).toEqual({ event: 3 })
  })

  test('a rollout of before September 2025 has no envelopes', () => {
    const session = read([
      { id: 'T', timestamp: '2025-06-01T00:00:00Z', instructions: null, git: {} },
      { record_type: 'state' },
      said('user', 'hi'),
      call('c1'),
      output('c1'),
    ])
    expect(itemsOf(session)).toEqual([said('user', 'hi'), call('c1'), output('c1')])
    expect(session).toMatchObject({ format: 'codex', id: 'T' })
    expect(skippedCounts(session)).toEqual({ 'client record': 1 })
  })

  test('the first header is this session; a resumed one repeats it, a forked one has its origin behind', () => {
    const session = read([
      meta('T', { forked_from_id: 'O' }),
      meta('O', { cwd: '/elsewhere' }),
      item(said('user', 'hi')),
      meta('T'),
    ])
    expect(session).toMatchObject({ id: 'T', cwd: '/project', skipped: {} })
  })

  test('snapshots of the work tree were never sent; unknown envelopes and records are counted', () => {
    const session = read([
      meta('T'),
      item(said('user', 'hi')),
      item({ type: 'ghost_snapshot', ghost_commit: {} }),
      line('world_state', { full: true }),
      item({ no: 'type' }),
      { strange: true },
      [],
    ])
    expect(itemsOf(session)).toEqual([said('user', 'hi')])
    expect(skippedCounts(session)).toEqual({ 'client record': 2, 'unknown record': 3 })
  })
})

describe('calls and results', () => {
  test('a result written before its call moves behind it', () => {
    expect(
      words([
        meta('T'),
        item(said('user', 'go')),
        item(output('c1')),
        item(call('c1')),
        item(said('assistant', 'done')),
      ]),
    ).toEqual(['go', 'function_call c1', 'function_call_output c1', 'done'])
  })

  test('the first result of a call counts, a call written twice counts once', () => {
    const session = read([
      meta('T'),
      item(call('c1')),
      item(call('c1')),
      item(output('c1', 'first')),
      item(output('c1', 'second')),
    ])
    expect(itemsOf(session)).toEqual([call('c1'), output('c1', 'first')])
    expect(skippedCounts(session)).toEqual({ 'duplicate call': 1, 'duplicate result': 1 })
  })

  test('an id that is used again by another call has a result for each; kinds of tools do not mix', () => {
    const other = { ...call('c1'), arguments: '{}' }
    const custom = { type: 'custom_tool_call', name: 'patch', input: 'x', call_id: 'c1' }
    const customOutput = { type: 'custom_tool_call_output', call_id: 'c1', output: 'y' }
    const records = [call('c1'), custom, output('c1', 'one'), other, customOutput, output('c1', 'two')]
    const session = read([meta('T'), ...records.map(item)])
    expect(itemsOf(session)).toEqual(records)
    expect(session.skipped).toEqual({})
  })

  test('a turn that was aborted leaves its call open, and a result whose call is lost stays', () => {
    expect(
      words([meta('T'), item(call('c1')), event('turn_aborted', { reason: 'interrupted' }), item(output('c9'))]),
    ).toEqual(['function_call c1', 'function_call_output c9'])
  })

  test('a local shell call is answered by a function output', () => {
    const shell = {
      type: 'local_shell_call',
      call_id: 'c1',
      status: 'completed',
      action: { type: 'exec', command: ['ls'] },
    }
    expect(words([meta('T'), item(output('c1')), item(shell)])).toEqual([
      'local_shell_call c1',
      'function_call_output c1',
    ])
  })
})

describe('usage', () => {
  test('each answer has one call, at its first item; repeated counts are none', () => {
    const session = read([
      meta('T'),
      line('turn_context', { model: 'model-a' }),
      item(said('user', 'go')),
      item({ type: 'reasoning', summary: [] }),
      item(call('c1')),
      tokens(100, 5),
      item(output('c1')),
      tokens(100, 5),
      item(said('assistant', 'done')),
      tokens(200, 7),
    ])
    expect(session.calls).toMatchObject([
      { position: 1, usage: { input: 100, cacheRead: 50, cacheWrite: 0, output: 5 }, model: 'model-a' },
      { position: 4, usage: { input: 200, cacheRead: 100, cacheWrite: 0, output: 7 } },
    ])
    expect(session.calls).toHaveLength(2)
  })

  test('a count without numbers is none', () => {
    const session = read([meta('T'), item(said('assistant', 'x')), event('token_count', { info: null })])
    expect(session.calls).toEqual([])
  })
})

describe('compactions', () => {
  test('the transcript keeps the originals; what replaced them is not repeated', () => {
    const session = read([
      meta('T'),
      item(said('user', 'go')),
      item(said('assistant', 'yes')),
      tokens(1000, 50),
      line('compacted', { message: 'SUMMARY', replacement_history: [said('user', 'go')], window_number: 2 }),
      tokens(0, 0, 321),
      item(said('user', 'on')),
    ])
    expect(itemsOf(session)).toEqual([said('user', 'go'), said('assistant', 'yes'), said('user', 'on')])
    expect(session.compactions).toEqual([
      { position: 2, trigger: 'unknown', kind: 'summary', summary: 'SUMMARY', tokensBefore: 1050, tokensAfter: 321 },
    ])
  })

  test('an encrypted one is opaque, whether its item or its line tells of it, or both', () => {
    const secret = { type: 'compaction', encrypted_content: 'ZW5j' }
    const replaced = line('compacted', { message: '', replacement_history: [said('user', 'go'), secret] })
    for (const records of [[item(secret)], [replaced], [item(secret), replaced]]) {
      const session = read([meta('T'), item(said('user', 'go')), ...records, item(said('user', 'on'))])
      expect(session.compactions).toEqual([{ position: 1, trigger: 'unknown', kind: 'opaque' }])
      expect(itemsOf(session)).toHaveLength(2)
    }
  })

  test('one whose summary the file does not hold is a summary without text', () => {
    const session = read([meta('T'), item(said('user', 'go')), line('compacted', { message: '' })])
    expect(session.compactions).toEqual([{ position: 1, trigger: 'unknown', kind: 'summary' }])
  })
})

describe('turns that were rolled back', () => {
  const turn = (name: string) => [
    item(said('user', name)),
    item(call(name)),
    item(output(name)),
    item(said('assistant', `${name} done`)),
  ]

  test('leave with all they hold, and are counted', () => {
    const records = [meta('T'), ...turn('one'), tokens(9, 1), ...turn('two'), tokens(9, 2), ...turn('three')]
    const session = read([...records, event('thread_rolled_back', { num_turns: 2 }), ...turn('four')])
    expect(itemsOf(session).map(word)).toEqual([
      'one',
      'function_call one',
      'function_call_output one',
      'one done',
      'four',
      'function_call four',
      'function_call_output four',
      'four done',
    ])
    expect(session.calls).toHaveLength(1)
    expect(skippedCounts(session)).toEqual({ 'rolled-back turn': 8 })
  })

  test('the opening texts of the client are no turn, and stay', () => {
    const opening = [
      item(said('developer', 'rules')),
      item(said('user', '# AGENTS.md instructions for /p')),
      item(said('user', '<environment_context>')),
    ]
    const session = read([
      meta('T'),
      event('task_started'),
      ...opening,
      ...turn('one'),
      event('task_complete'),
      event('task_started'),
      item(said('developer', 'changed rules')),
      ...turn('two'),
      event('thread_rolled_back', { num_turns: 9 }),
    ])
    expect(itemsOf(session).map(word)).toEqual(['rules', '# AGENTS.md instructions for /p', '<environment_context>'])
  })

  test('a message that came while a task ran belongs to its turn', () => {
    const session = read([
      meta('T'),
      event('task_started'),
      ...turn('one'),
      event('task_complete'),
      event('task_started'),
      item(said('developer', 'changed rules')),
      ...turn('two'),
      item(said('user', 'and also')),
      event('thread_rolled_back', { num_turns: 1 }),
    ])
    expect(itemsOf(session).map(word).at(-1)).toBe('one done')
    expect(skippedCounts(session)['rolled-back turn']).toBe(6)
  })

  test('take a compaction in them along', () => {
    const session = read([
      meta('T'),
      ...turn('one'),
      ...turn('two'),
      line('compacted', { message: 'S' }),
      event('thread_rolled_back', { num_turns: 1 }),
      item(said('user', 'on')),
    ])
    expect(session.compactions).toEqual([])
  })
})

test('law: one broken line never throws, and costs no other line its item', () => {
  const step = fc.constantFrom('say', 'call', 'early', 'compact', 'tokens')
  const damage = fc.constantFrom('torn', 'garbage', 'torn and glued', 'glued')
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      damage,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (steps, at, kind, cut) => {
        const records: Fields[] = [meta('T'), ...steps.flatMap((name, number) => recordsOf(name, `x${number}`))]
        const broken = at % records.length
        const file = records
          .map((record, place) => (place === broken ? damaged(record, kind, cut) : `${JSON.stringify(record)}\n`))
          .join('')
        const left = records.filter(
          (record, place) => record.type === 'response_item' && (place !== broken || kind === 'glued'),
        )
        if (records.length === 1) return
        const session = importSessionText(file)
        expect(
          itemsOf(session)
            .map((value) => JSON.stringify(value))
            .toSorted(),
        ).toEqual(left.map((record) => JSON.stringify(record.payload)).toSorted())
      },
    ),
    { numRuns: 200 },
  )
})

function recordsOf(step: string, name: string): Fields[] {
  if (step === 'say') return [item(said('user', name)), item(said('assistant', `${name} yes`))]
  if (step === 'call') return [item(call(name)), item(output(name))]
  if (step === 'early') return [item(output(name)), item(call(name))]
  if (step === 'compact')
    return [line('compacted', { message: name, replacement_history: [said('user', name), call(name)] })]
  return [tokens(10, 1)]
}

function damaged(record: Fields, kind: string, cut: number): string {
  const text = JSON.stringify(record)
  const torn = text.slice(0, Math.floor(cut * (text.length - 1)))
  if (kind === 'torn') return `${torn}\n`
  if (kind === 'garbage') return 'no JSON {\n'
  return kind === 'glued' ? text : torn
}

describe('counts of tokens', () => {
  /** `session`: tokens of all calls so far. */
  const counted = (input: number, session: number) =>
    event('token_count', {
      info: {
        total_token_usage: { total_tokens: session },
        last_token_usage: { input_tokens: input, output_tokens: 1, total_tokens: input + 1 },
      },
    })
  const reasoning = { type: 'reasoning', summary: [] }
  const inputs = (records: readonly unknown[]) =>
    read(records).calls.map(({ position, usage }) => `${usage?.input} @${position}`)

  test('stand before the items of their answer in older rollouts', () => {
    const older = [
      item(said('user', 'hi')),
      counted(10, 11),
      item(reasoning),
      item(call('c1')),
      item(output('c1')),
      counted(20, 32),
      item(reasoning),
      item(said('assistant', 'done')),
      item(said('user', 'more')),
      counted(30, 63),
      item(said('assistant', 'bye')),
    ]
    expect(inputs([meta('T'), ...older])).toEqual(['10 @1', '20 @4', '30 @7'])
  })

  test('that repeat the one before are of no answer that began since', () => {
    const repeated = [
      item(said('user', 'hi')),
      item(call('c1')),
      counted(10, 11),
      item(output('c1')),
      item(reasoning),
      counted(10, 11),
      item(said('assistant', 'done')),
      counted(20, 32),
    ]
    expect(inputs([meta('T'), ...repeated])).toEqual(['10 @1', '20 @3'])
  })

  test('are not of an answer of a task that ended uncounted', () => {
    const aborted = [
      event('task_started'),
      item(said('user', 'hi')),
      item(reasoning),
      event('turn_aborted'),
      event('task_started'),
      item(said('user', 'again')),
      item(said('assistant', 'done')),
      counted(20, 21),
    ]
    expect(inputs([meta('T'), ...aborted])).toEqual(['20 @3'])
  })

  test('of an answer that the file lacks move no other count', () => {
    const lost = [
      item(said('user', 'hi')),
      item(call('c1')),
      counted(10, 11),
      item(output('c1')),
      counted(20, 32),
      item(call('c2')),
      counted(30, 63),
      item(output('c2')),
      item(said('assistant', 'done')),
      counted(40, 104),
    ]
    expect(inputs([meta('T'), ...lost])).toEqual(['10 @1', '30 @3', '40 @5'])
  })
})
