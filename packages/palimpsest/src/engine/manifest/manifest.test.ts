import { describe, expect, it } from 'vitest'
import { wrapCheckpoint } from '../summary/checkpoint-text.ts'
import { GOAL_HEADING } from './goal.ts'
import { createManifest } from './manifest.ts'
import { assistant, call, injected, message, part, result, slices, user } from './transcript.test-data.ts'

describe('manifest', () => {
  it('pairs results with calls by id, the newest open one first where an id repeats', () => {
    const manifest = createManifest()
    manifest.add(0, message('assistant', call('a', 'Bash', { command: 'one' }), call('b', 'Bash', { command: 'two' })))
    manifest.add(1, message('tool', result('b', 'B'), result('a', 'A')))
    manifest.add(2, message('assistant', call('a', 'Bash', { command: 'three' })))
    manifest.add(3, message('tool', result('a', 'C'), result('nobody', 'D')))
    expect(manifest.calls.map((placed) => placed.result?.outcome.first)).toEqual(['A', 'B', 'C'])
  })

  it('pairs by tool name, in order, where there are no ids', () => {
    const manifest = createManifest()
    const named = (kind: 'tool-call' | 'tool-result', text: string) => part(kind, text, { toolName: 'run' })
    manifest.add(0, message('assistant', named('tool-call', '{"cmd":"1"}'), named('tool-call', '{"cmd":"2"}')))
    manifest.add(1, message('tool', named('tool-result', 'first'), named('tool-result', 'second')))
    expect(manifest.calls.map((placed) => placed.result?.outcome.first)).toEqual(['first', 'second'])
  })

  it('takes neither system items nor injected text for words of the user', () => {
    const manifest = createManifest()
    manifest.add(1, message('user', part('text', 'a note', { injected: true }), part('text', 'real words')))
    manifest.add(2, message('system', part('text', 'rules')))
    manifest.add(3, injected('<task-notification>done</task-notification>'))
    expect(manifest.said.map((said) => said.text)).toEqual(['real words'])
    expect([...manifest.names.within(0, 4)]).toEqual([])
  })

  it('C9 folds a checkpoint in: its goal, its rules, its last user message, and the rest as told before', () => {
    const manifest = createManifest()
    const summary = `${GOAL_HEADING}\nRename the flag.\n\n## Notes\nNever push to main. Half is done.`
    const text = wrapCheckpoint({ summary, lastUserMessage: 'Go on.' })
    manifest.add(0, { ...user(text), checkpoint: true })
    manifest.add(1, message('user', part('text', 'Stop.')))
    expect(manifest.said.map((said) => said.text)).toEqual([
      'Rename the flag.',
      'Never push to main.',
      'Go on.',
      'Stop.',
    ])
    expect(manifest.earlier.map((earlier) => earlier.text)).toEqual([summary])
  })

  it('counts a step per answer with its results, however many items it has', () => {
    const manifest = createManifest()
    const views = [
      user('go'),
      message('assistant', call('1', 'a', {})),
      message('assistant', call('2', 'b', {})),
      message('tool', result('1', '')),
      message('tool', result('2', '')),
      assistant('done'),
    ]
    for (const { position, view } of slices(...views)) manifest.add(position, view)
    expect(manifest.calls.map((placed) => placed.step)).toEqual([2, 2])
    expect(manifest.texts.map((text) => text.step)).toEqual([3])
  })

  it('refuses a position that it has passed, and allows gaps', () => {
    const manifest = createManifest()
    manifest.add(5, user('x'))
    expect(manifest.end).toBe(6)
    expect(() => manifest.add(5, user('y'))).toThrow(RangeError)
    expect(() => manifest.add(Number.NaN, user('y'))).toThrow(RangeError)
  })
})
