import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import type { RenderedItem } from '../../engine/messages/message.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { openaiResponses, type ResponsesItem } from './index.ts'

const CONTEXT = { thinkingBinding: 'turn', strictAlternation: false } as const

describe('TC-10 reasoning, its follower, and their ids', () => {
  const session = (seal: object): readonly ResponsesItem[] => [
    { role: 'user', content: 'look' },
    item({ type: 'reasoning', id: 'rs_1', summary: [], ...seal }),
    item({ type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'read', arguments: '{}' }),
    item({ type: 'function_call_output', call_id: 'c1', output: 'x'.repeat(50_000) }),
    item({ type: 'reasoning', id: 'rs_2', summary: [], ...seal }),
    item({
      type: 'message',
      role: 'assistant',
      id: 'msg_2',
      content: [{ type: 'output_text', text: 'done', annotations: [] }],
    }),
    { role: 'user', content: 'thanks' },
  ]
  const stores = [
    { store: true, seal: {} },
    { store: false, seal: { encrypted_content: 'gAAAA' } },
  ]
  const cases = stores.flatMap((keeping) =>
    [0, 1, 2, 3, 4, 5, 6].flatMap((prefix) => [true, false].map((strips) => ({ ...keeping, prefix, strips }))),
  )

  test.each(cases)(
    'TC-10 store $store, first $prefix items gone, reasoning filtered: $strips',
    ({ store, seal, prefix, strips }) => {
      const all = session(seal)
      const entries = all
        .map(kept)
        .slice(prefix)
        .filter(({ item }) => !strips || item.type !== 'reasoning')
      const items = layOut(entries)
      expect(openaiResponses.check({ ...openaiResponses.open({ store, input: items }) })).toEqual([])
      expect(items.at(-1)).toBe(all[6])
      expect(brokenIds(all, items)).toEqual([])
      const types = items.map(({ type }) => type)
      expect(types.includes('function_call_output')).toBe(types.includes('function_call'))
      if (strips) expect(types).not.toContain('reasoning')
    },
  )

  test('TC-10 the whole of it goes out as it came', () => {
    const all = session({})
    layOut(all.map(kept)).forEach((one, index) => {
      expect(one).toBe(all[index])
    })
  })
})

test('TC-13 a pending approval keeps its request and its response together', () => {
  const request = item({ type: 'mcp_approval_request', id: 'mcpr_1', name: 'x', arguments: '{}', server_label: 's' })
  const response = item({ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true })
  const views = [USER, request, response].map((one) => openaiResponses.view(one))
  expect(groupMessages(views).map(({ kind, slices }) => [kind, slices.map(({ position }) => position)])).toEqual([
    ['user', [0]],
    ['tool-batch', [1, 2]],
  ])
  expect(openaiResponses.check({ system: [], items: layOut([kept(request, 1), kept(response, 2)]) })).toEqual([])
})

describe('ids', () => {
  test('leave what may have lost its reasoning, in every view of whole or half groups', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.infiniteStream(fc.nat(4)), (request, dice) => {
        const opened = openaiResponses.open(request)
        const entries = opened.items.map(kept).filter(() => dice.next().value !== 0)
        fc.pre(entries.length > 0)
        expect(brokenIds(opened.items, layOut(entries))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('leave an edited call, and its stored reasoning with them', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'w', arguments: '{"content":"long"}' }
    const all = [USER, STORED, call, OUTPUT] as readonly ResponsesItem[]
    const laidOut = layOut(withEdit(all, 2, '{"content":"l"}'))
    expect(laidOut).toEqual([
      USER,
      { type: 'function_call', call_id: 'c1', name: 'w', arguments: '{"content":"l"}' },
      OUTPUT,
    ])
  })

  test('leave the rest of the response too, up to its end', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'w', arguments: '{"content":"long"}' }
    const second = { type: 'function_call', id: 'fc_2', call_id: 'c2', name: 'w', arguments: '{}' }
    const answer = { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'ok' }] }
    const next = { ...STORED, id: 'rs_2' }
    const all = [
      USER,
      STORED,
      call,
      second,
      OUTPUT,
      { ...OUTPUT, call_id: 'c2' },
      next,
      answer,
    ] as readonly ResponsesItem[]
    const laidOut = layOut(withEdit(all, 2, '{"content":"l"}'))
    expect(laidOut.map(({ id }) => id)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'rs_2',
      'msg_1',
    ])
  })

  test('leave sealed reasoning, which says all by itself', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'w', arguments: '{"content":"long"}' }
    const all = [USER, { ...STORED, encrypted_content: 'gAAAA' }, call, OUTPUT] as readonly ResponsesItem[]
    const laidOut = layOut(withEdit(all, 2, '{"content":"l"}'))
    expect(laidOut[1]).toEqual({ type: 'reasoning', summary: [], encrypted_content: 'gAAAA' })
  })

  test('stay on an output that only became shorter, and leave where the output has one itself', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'w', arguments: '{}' }
    const all = [USER, STORED, call, { ...OUTPUT, id: 'fco_1' }] as readonly ResponsesItem[]
    const laidOut = layOut(withEdit(all, 3, 'o'))
    expect(laidOut.slice(0, 3)).toEqual(all.slice(0, 3))
    expect(laidOut[3]).toEqual({ type: 'function_call_output', call_id: 'c1', output: 'o' })
  })

  test('that others point at never leave', () => {
    const approval = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'x', arguments: '{}', server_label: 's' }
    const response = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
    const all = [USER, STORED, approval, response] as readonly ResponsesItem[]
    expect(layOut(all.map(kept).filter((_, index) => index !== 1))).toEqual([USER, approval, response])
  })
})

describe('a summary', () => {
  test('is a user message where it stands', () => {
    const laidOut = layOut([{ kind: 'summary', insertAfter: 4, text: 'So far.' }, kept(USER, 5)])
    expect(laidOut).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'So far.' }] },
      USER,
    ])
    expect(laidOut[1]).toBe(USER)
  })
})

const USER: ResponsesItem = { role: 'user', content: 'go' }
const STORED = { type: 'reasoning', id: 'rs_1', summary: [] }
const OUTPUT = { type: 'function_call_output', call_id: 'c1', output: 'ok' }

function layOut(entries: readonly RenderedItem<ResponsesItem>[]): readonly ResponsesItem[] {
  return openaiResponses.layOut(entries, { from: 0, before: entries.length }, CONTEXT)
}

function withEdit(items: readonly ResponsesItem[], part: number, text: string): readonly RenderedItem<ResponsesItem>[] {
  return items.map((one, position) => {
    if (position !== part) return kept(one, position)
    const edited = openaiResponses.edit(one, [{ kind: 'replace-text', part: 0, text }])
    if (edited === undefined) throw new Error('a text edit removes nothing')
    return { kind: 'item', position, item: edited, edited: true }
  })
}

function kept(one: ResponsesItem, position: number): RenderedItem<ResponsesItem> & { kind: 'item' } {
  return { kind: 'item', position, item: one, edited: false }
}

/**
 * What the provider knows and the check cannot: ids of items in `view` whose reasoning, in the session as it was said, had an
 * id too and is not in the view with it.
 */
function brokenIds(session: readonly ResponsesItem[], view: readonly ResponsesItem[]): readonly string[] {
  const required = new Map<string, string>()
  let reasoning: string | undefined
  for (const one of session) {
    const { id, type, role } = one
    if (type === 'reasoning') reasoning = id ?? undefined
    else if (role !== undefined && role !== 'assistant') reasoning = undefined
    else if (typeof id === 'string' && reasoning !== undefined && /_call$|^message$/.test(type ?? ''))
      required.set(id, reasoning)
  }
  const ids = new Set(view.map(({ id }) => id))
  return [...required].filter(([id, needed]) => ids.has(id) && !ids.has(needed)).map(([id]) => id)
}

function item(fields: object): ResponsesItem {
  return fields
}
