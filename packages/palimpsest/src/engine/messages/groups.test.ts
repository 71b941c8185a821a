import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryToyItems, type ToyItem, toyItems, toyLens } from '../toy-lens.test-data.ts'
import { GroupIndex, groupMessages, type MessageGroup } from './groups.ts'

function groupsOf(items: readonly ToyItem[]): readonly MessageGroup[] {
  return groupMessages(items.map((item) => toyLens.view(item)))
}

function notation(groups: readonly MessageGroup[]): string {
  const place = ({ position, parts }: MessageGroup['slices'][number]) =>
    parts === 'all' ? String(position) : `${position}.${parts.join('.')}`
  return groups.map((group) => `${group.kind} ${group.slices.map(place).join('+')}`).join(' | ')
}

const call = (id: string): ToyItem => ({
  role: 'assistant',
  parts: [{ kind: 'tool-call', id, tool: 'read', text: '{}' }],
})
const result = (id: string): ToyItem => ({ role: 'tool', parts: [{ kind: 'tool-result', id, text: 'r' }] })

describe('groupMessages', () => {
  it('makes one group of a step with all its calls and results', () => {
    expect(notation(groupsOf(toyItems('user 4 | tools read:9 grep:8 | say 3 | user 1')))).toBe(
      'user 0 | tool-batch 1+2 | assistant 3 | user 4',
    )
  })

  it('joins what one step says in several items, and results that come in several items', () => {
    const items: ToyItem[] = [
      ...toyItems('user 4'),
      { role: 'assistant', parts: [{ kind: 'reasoning', text: 'hm' }] },
      call('a'),
      call('b'),
      result('a'),
      result('b'),
      ...toyItems('say 2'),
    ]
    expect(notation(groupsOf(items))).toBe('user 0 | tool-batch 1+2+3+4+5 | assistant 6')
  })

  it('shares an item between a step and the user', () => {
    const mixed: ToyItem = {
      role: 'user',
      parts: [
        { kind: 'tool-result', id: 'a', text: 'r' },
        { kind: 'text', text: 'and never touch the database' },
      ],
    }
    const groups = groupsOf([...toyItems('user 4'), call('a'), mixed])
    expect(notation(groups)).toBe('user 0 | tool-batch 1+2.0 | user 2.1')
    expect(groups.map((group) => group.turn)).toEqual([1, 1, 2])
  })

  it('lets a reminder beside results ride with them', () => {
    const mixed: ToyItem = {
      role: 'user',
      parts: [
        { kind: 'tool-result', id: 'a', text: 'r' },
        { kind: 'text', text: '<system-reminder>', injected: true },
      ],
    }
    expect(notation(groupsOf([call('a'), mixed]))).toBe('tool-batch 0+1')
  })

  it('pairs repeated ids with the newest open call', () => {
    const groups = groupsOf([call('x'), result('x'), call('x'), result('x')])
    expect(notation(groups)).toBe('tool-batch 0+1 | tool-batch 2+3')
    expect(groups.every((group) => group.unanswered.length === 0)).toBe(true)
  })

  it('pairs results without ids by name, then by order', () => {
    const nameless = (kind: 'tool-call' | 'tool-result', tool: string) => ({ kind, tool, text: '' })
    const groups = groupsOf([
      {
        role: 'assistant',
        parts: [nameless('tool-call', 'a'), nameless('tool-call', 'b'), nameless('tool-call', 'c')],
      },
      {
        role: 'tool',
        parts: [nameless('tool-result', 'b'), nameless('tool-result', 'a'), nameless('tool-result', 'z')],
      },
    ])
    expect(notation(groups)).toBe('tool-batch 0+1')
    expect(groups[0]?.unanswered).toEqual([])
  })

  it('CF-09 keeps a result without a call apart from the valid one beside it', () => {
    const both: ToyItem = {
      role: 'tool',
      parts: [
        { kind: 'tool-result', id: 'a', text: 'r' },
        { kind: 'tool-result', id: 'gone', text: 'r' },
      ],
    }
    const groups = groupsOf([call('a'), both])
    expect(notation(groups)).toBe('tool-batch 0+1.0 | tool-batch 1.1')
    expect(groups.map((group) => group.orphan)).toEqual([false, true])
  })

  it('TC-13 keeps call, approval request and response together, also where the request is not there', () => {
    const step: ToyItem = {
      role: 'assistant',
      parts: [
        { kind: 'tool-call', id: 'c1', tool: 'deploy', text: '{}' },
        { kind: 'approval-request', id: 'approval:1', text: '' },
      ],
    }
    const response: ToyItem = { role: 'tool', parts: [{ kind: 'approval-response', id: 'approval:1', text: '' }] }
    const other: ToyItem = { role: 'tool', parts: [{ kind: 'approval-response', id: 'approval:2', text: '' }] }
    expect(notation(groupsOf([...toyItems('user 3'), step, response]))).toBe('user 0 | tool-batch 1+2')
    expect(notation(groupsOf([...toyItems('user 3 | say 4'), other]))).toBe('user 0 | tool-batch 1+2')
  })

  it('makes one group of steps that a late result of a provider tool ties together', () => {
    const late: ToyItem = {
      role: 'assistant',
      parts: [
        { kind: 'tool-result', id: 'server', text: 'found' },
        { kind: 'tool-call', id: 'next', tool: 'read', text: '{}' },
      ],
    }
    const both: ToyItem = { role: 'assistant', parts: [...call('server').parts, ...call('a').parts] }
    const groups = groupsOf([...toyItems('user 3'), both, result('a'), late, result('next'), ...toyItems('user 1')])
    expect(notation(groups)).toBe('user 0 | tool-batch 1+2+3+4 | user 5')
    expect(groups[1]?.unanswered).toEqual([])
  })

  it('lets a result whose call is only referred to answer a call without an id', () => {
    const reference: ToyItem = { role: 'assistant', parts: [{ kind: 'tool-call', text: '' }] }
    expect(notation(groupsOf([reference, result('a')]))).toBe('tool-batch 0+1')
    expect(groupsOf([call('b'), result('a')])[1]?.orphan).toBe(true)
  })

  it('tells calls that got no result', () => {
    const groups = groupsOf([call('a'), ...toyItems('user 3')])
    expect(groups[0]?.unanswered).toEqual([{ position: 0, part: 0, callId: 'a', toolName: 'read' }])
  })

  it('finds the last user message behind injected text, checkpoints and results', () => {
    const index = new GroupIndex()
    const items: ToyItem[] = [
      ...toyItems('user 4 | tools read:3'),
      { role: 'user', parts: [{ kind: 'text', text: '<environment_context>', injected: true }] },
      { role: 'user', parts: [{ kind: 'text', text: '<compacted_context>\nx\n</compacted_context>' }] },
    ]
    for (const item of items) index.push(toyLens.view(item))
    expect(index.lastUserMessage).toBe(0)
    expect(index.groups.at(-1)?.kind).toBe('summary')
  })

  it('gives every part of every item to exactly one group', () => {
    fc.assert(
      fc.property(arbitraryToyItems, (items) => {
        const owners = new Map<string, number>()
        for (const { slices } of groupsOf(items)) {
          for (const { position, parts } of slices) {
            const all = items[position]?.parts.map((_, part) => part) ?? []
            for (const part of parts === 'all' ? all : parts) {
              owners.set(`${position}.${part}`, (owners.get(`${position}.${part}`) ?? 0) + 1)
            }
          }
        }
        const expected = items.flatMap((item, position) => item.parts.map((_, part) => `${position}.${part}`))
        expect([...owners.keys()].sort()).toEqual(expected.sort())
        expect([...owners.values()].every((count) => count === 1)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('gives the same groups whether items come at once or one by one', () => {
    fc.assert(
      fc.property(arbitraryToyItems, (items) => {
        const index = new GroupIndex()
        items.forEach((item, count) => {
          index.push(toyLens.view(item))
          expect(notation(index.groups)).toBe(notation(groupsOf(items.slice(0, count + 1))))
        })
      }),
      { numRuns: 1000 },
    )
  })
})
