import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, outline, skippedCounts } from '../session-text.test-data.ts'
import { answerLine, call, resultLine, text, userLine } from './claude-session.test-data.ts'

const read = (records: readonly unknown[]) => importSessionText(jsonLines(records))

describe('parallel calls', () => {
  test('lines and results on side branches are one answer and one user item', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', text('both')),
      answerLine('a2', 'a1', 'm1', call('t1')),
      resultLine('r1', 'a2', 't1'),
      answerLine('a3', 'a2', 'm1', call('t2')),
      resultLine('r2', 'a3', 't2'),
      answerLine('a4', 'r2', 'm2', text('done')),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:both+call t1+call t2',
      'user:result t1+result t2',
      'assistant:done',
    ])
    expect(skippedCounts(session)).toEqual({})
    expect(session.calls.map(({ position }) => position)).toEqual([1, 3])
  })

  test('a result written before its call stands behind it', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      resultLine('r2', 'a2', 't2'),
      answerLine('a2', 'a1', 'm1', call('t2')),
      resultLine('r1', 'a1', 't1'),
      answerLine('a3', 'r1', 'm2', text('done')),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call t1+call t2',
      'user:result t2+result t1',
      'assistant:done',
    ])
  })

  test('a result written last, behind the next answer, is no reason to drop that answer', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      answerLine('a2', 'a1', 'm1', call('t2')),
      resultLine('r2', 'a2', 't2'),
      answerLine('b1', 'r2', 'm2', text('done')),
      resultLine('r1', 'a1', 't1'),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call t1+call t2',
      'user:result t2+result t1',
      'assistant:done',
    ])
  })

  test('texts come behind the results, also where a line has them in front', () => {
    const mixed = [text('note'), { type: 'tool_result', tool_use_id: 't1', content: 'x' }]
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      userLine('q1', 'a1', 'typed meanwhile'),
      userLine('r1', 'q1', mixed),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:call t1', 'user:result t1+note', 'user:typed meanwhile'])
  })

  test('what hangs on a side branch belongs too: a skill text behind a result there', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      answerLine('a2', 'a1', 'm1', call('t2')),
      resultLine('r1', 'a1', 't1'),
      userLine('k1', 'r1', [text('skill text')], { isMeta: true, sourceToolUseID: 't1' }),
      resultLine('r2', 'a2', 't2'),
      answerLine('a3', 'r2', 'm2', text('done')),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call t1+call t2',
      'user:result t1+result t2',
      'user:skill text',
      'assistant:done',
    ])
  })

  test('a second result of one call is skipped; the one on the main line counts', () => {
    const other = userLine('r0', 'a1', [{ type: 'tool_result', tool_use_id: 't1', content: 'other branch' }])
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      other,
      resultLine('r1', 'a1', 't1'),
      answerLine('a2', 'r1', 'm2', text('done')),
    ])
    expect(itemsOf(session)[2]).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: 'output of t1' }],
    })
    expect(skippedCounts(session)).toEqual({ 'duplicate result': 1 })
  })

  test('a call id that is used again is answered by the result behind it', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      resultLine('r1', 'a1', 't1'),
      answerLine('a2', 'r1', 'm2', call('t1')),
      resultLine('r2', 'a2', 't1'),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call t1',
      'user:result t1',
      'assistant:call t1',
      'user:result t1',
    ])
  })

  test('an interrupted call and an open tail stay as recorded', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      userLine('u2', 'a1', [text('[Request interrupted by user]')]),
      answerLine('a2', 'u2', 'm2', call('t2')),
    ])
    expect(outline(session)).toEqual([
      'user:go',
      'assistant:call t1',
      'user:[Request interrupted by user]',
      'assistant:call t2',
    ])
  })
})

describe('branches', () => {
  test('what the user took back is skipped', () => {
    const session = read([
      userLine('u1', null, 'first'),
      answerLine('a1', 'u1', 'm1', text('yes')),
      userLine('u2', 'a1', 'wrong way'),
      answerLine('a2', 'u2', 'm2', call('t1')),
      resultLine('r1', 'a2', 't1'),
      userLine('u3', 'a1', 'right way'),
      answerLine('a3', 'u3', 'm3', text('done')),
    ])
    expect(outline(session)).toEqual(['user:first', 'assistant:yes', 'user:right way', 'assistant:done'])
    expect(session.skipped).toEqual({ 'abandoned branch': { count: 3, lines: [3, 4, 5] } })
  })

  test('a conversation begun anew in the same file is the only one', () => {
    const session = read([
      userLine('u1', null, 'old'),
      answerLine('a1', 'u1', 'm1', text('yes')),
      userLine('u2', null, 'new'),
    ])
    expect(outline(session)).toEqual(['user:new'])
    expect(skippedCounts(session)).toEqual({ 'abandoned branch': 2 })
  })

  test('sidechains stay out, and are counted', () => {
    const side = { isSidechain: true }
    const session = read([
      userLine('u1', null, 'go'),
      userLine('s1', null, 'subtask', side),
      answerLine('s2', 's1', 'ms', text('sub'), side),
      answerLine('a1', 'u1', 'm1', text('done')),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:done'])
    expect(skippedCounts(session)).toEqual({ sidechain: 2 })
  })

  test('the file of a subagent, all sidechain, is a conversation', () => {
    const side = { isSidechain: true, agentId: 'x' }
    const session = read([userLine('s1', null, 'subtask', side), answerLine('s2', 's1', 'ms', text('sub'), side)])
    expect(outline(session)).toEqual(['user:subtask', 'assistant:sub'])
    expect(skippedCounts(session)).toEqual({})
  })

  test('lines copied by a fork count once', () => {
    const opening = [userLine('u1', null, 'go'), answerLine('a1', 'u1', 'm1', text('yes'))]
    const session = read([...opening, ...opening, userLine('u2', 'a1', 'on')])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:on'])
    expect(skippedCounts(session)).toEqual({ 'duplicate line': 2 })
  })

  test('an answer copied with new ids on another branch is there once', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', text('yes')),
      answerLine('a2', 'a1', 'm1', call('t1')),
      answerLine('x1', 'u1', 'm1', text('yes')),
      answerLine('x2', 'x1', 'm1', call('t1')),
      resultLine('r1', 'a2', 't1'),
      userLine('u2', 'r1', 'on'),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes+call t1', 'user:result t1', 'user:on'])
    expect(skippedCounts(session)).toEqual({ 'duplicate content': 2 })
  })

  test('a parent that the file lacks is taken to be the line before', () => {
    const session = read([
      userLine('u1', null, 'go'),
      answerLine('a1', 'u1', 'm1', text('yes')),
      userLine('u2', 'never written', 'on'),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:on'])
  })

  test('what stood above a lost parent is not lost with it', () => {
    const session = read([
      userLine('u1', null, 'go'),
      resultLine('r1', 'a2', 't1'),
      answerLine('a1', 'u1', 'm1', text('reading')),
      'the line of a2, with call t1, is lost',
      userLine('u2', 'r1', 'on'),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:reading', 'user:result t1', 'user:on'])
  })

  test('guessed parents that lead in a circle lose nothing', () => {
    const session = read([
      userLine('u1', null, 'go'),
      userLine('u2', 'u3', 'two'),
      userLine('u3', 'never written', 'three'),
    ])
    expect(outline(session).toSorted()).toEqual(['user:go', 'user:three', 'user:two'])
  })

  test('progress, hook and attachment lines are links of the chain', () => {
    const link = (uuid: string, parentUuid: string, type: string, more = {}) => ({
      type,
      uuid,
      parentUuid,
      sessionId: 's',
      ...more,
    })
    const session = read([
      userLine('u1', null, 'go'),
      link('p1', 'u1', 'progress'),
      link('h1', 'p1', 'system', { subtype: 'stop_hook_summary' }),
      link('t1', 'h1', 'attachment', { attachment: { type: 'task_reminder', content: [] } }),
      answerLine('a1', 't1', 'm1', text('done')),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:done'])
    expect(skippedCounts(session)).toEqual({ attachment: 1, 'client record': 2 })
  })
})
