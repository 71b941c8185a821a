import { describe, expect, test } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import { aiSdk } from './index.ts'
import type { AiSdkMessage } from './items.ts'

const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'f', input: {} })
const providerCall = (id: string) => ({ ...call(id), providerExecuted: true })
const result = (id: string) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'f',
  output: { type: 'text', value: 'x' },
})
const request = (approvalId: string, toolCallId: string) => ({ type: 'tool-approval-request', approvalId, toolCallId })
const response = (approvalId: string) => ({ type: 'tool-approval-response', approvalId, approved: true })
const user = (...content: object[]) => ({ role: 'user', content }) as unknown as AiSdkMessage
const assistant = (...content: object[]) => ({ role: 'assistant', content }) as unknown as AiSdkMessage
const tool = (...content: object[]) => ({ role: 'tool', content }) as unknown as AiSdkMessage
const system = { role: 'system', content: 'be brief' } as const
const hi = user(text('hi'))
const ok = assistant(text('ok'))

function brokenRules(items: readonly AiSdkMessage[], strictAlternation = false): readonly string[] {
  return aiSdk.check({ system: [], items }, { strictAlternation }).map((found) => found.rule)
}

/** A rule with a conversation that breaks it and no other. */
const VIOLATIONS: readonly (readonly [string, readonly AiSdkMessage[]])[] = [
  ['ai-sdk/prompt-empty', []],
  ['ai-sdk/role', [hi, { ...ok, role: 'developer' as 'user' }]],
  ['ai-sdk/message-without-parts', [hi, assistant()]],
  ['ai-sdk/part-in-wrong-role', [user(call('1'))]],
  ['ai-sdk/part-in-wrong-role', [user({ type: 'reasoning', text: 'hm' })]],
  ['ai-sdk/part-in-wrong-role', [hi, assistant(call('1')), tool(result('1'), call('2'))]],
  ['ai-sdk/part-in-wrong-role', [hi, assistant(response('a'))]],
  ['ai-sdk/call-without-result', [hi, assistant(call('1'))]],
  ['ai-sdk/call-without-result', [hi, assistant(call('1')), user(text('and?')), tool()].slice(0, 3)],
  ['ai-sdk/call-without-result', [hi, assistant(call('1'), call('2')), tool(result('1'))]],
  ['ai-sdk/result-without-call', [hi, tool(result('1'))]],
  ['ai-sdk/result-without-call', [tool(result('1'))]],
  ['ai-sdk/result-without-call', [hi, assistant(call('1')), tool(result('1'), result('2'))]],
  ['ai-sdk/result-without-call', [hi, assistant(call('1')), tool(result('1')), ok, tool(result('1'))]],
  ['ai-sdk/duplicate-call', [hi, assistant(call('1'), call('1')), tool(result('1'))]],
  ['ai-sdk/duplicate-result', [hi, assistant(call('1')), tool(result('1')), tool(result('1'))]],
  ['ai-sdk/provider-result-without-call', [hi, assistant(result('1'))]],
  ['ai-sdk/approval-request-without-call', [hi, assistant(text('may I?'), request('a', '1'))]],
  ['ai-sdk/approval-request-without-response', [hi, assistant(call('1'), request('a', '1')), hi]],
  ['ai-sdk/approval-response-without-request', [hi, tool(response('a'))]],
  [
    'ai-sdk/approval-response-without-request',
    [hi, assistant(call('1'), request('a', '1')), tool(response('a'), response('b'))],
  ],
]

describe('the check of the AI SDK dialect', () => {
  test.each(VIOLATIONS)('%s fires alone', (rule, items) => {
    expect(brokenRules(items)).toEqual([rule])
  })

  test.each([
    ['ai-sdk/first-message-not-user', [ok, hi]],
    ['ai-sdk/system-inside-history', [hi, system, ok]],
    ['ai-sdk/roles-do-not-alternate', [hi, hi]],
    ['ai-sdk/roles-do-not-alternate', [hi, ok, ok]],
  ] as const)('%s is a fault only where roles must alternate', (rule, items) => {
    expect(brokenRules(items)).toEqual([])
    expect(brokenRules(items, true)).toEqual([rule])
  })

  test('tool messages stand apart from the turns of user and assistant', () => {
    expect(brokenRules([hi, assistant(call('1')), tool(result('1')), ok, hi, ok], true)).toEqual([])
    expect(brokenRules([hi, assistant(call('1')), tool(result('1')), hi], true)).toEqual([])
  })

  test('a violation tells where it is and what helps', () => {
    expect(aiSdk.check({ system: [], items: [hi, assistant(text('a'), call('1'))] })).toEqual([
      {
        rule: 'ai-sdk/call-without-result',
        position: 1,
        part: 1,
        message: 'The call 1 has no result behind it.',
        fix: 'Keep the tool messages with the results directly behind their calls, or drop both.',
      },
    ])
  })

  test('what a provider ran needs no result of ours; its result may come late, but never before its call', () => {
    const late = [hi, assistant(providerCall('s')), hi, assistant(result('s'), text('found'))]
    expect(brokenRules(late)).toEqual([])
    expect(brokenRules([hi, assistant(result('s'), providerCall('s'))])).toEqual([])
    expect(brokenRules([hi, assistant(call('flag lost'), result('flag lost')), ok])).toEqual([])
    expect(brokenRules(late.toSpliced(1, 1))).toEqual(['ai-sdk/provider-result-without-call'])
  })

  test('prompts for a model carry a response without its request', () => {
    expect(brokenRules([hi, assistant(providerCall('1')), tool(response('a'))])).toEqual([])
  })

  test('call ids may repeat from step to step', () => {
    const step = [assistant(call('0')), tool(result('0'))]
    expect(brokenRules([hi, ...step, ...step, ok])).toEqual([])
  })

  test('TC-02 PARALLEL ten parallel calls are answered by ten results or not at all', () => {
    const ids = Array.from({ length: 10 }, (_, at) => `c${at}`)
    const items = [hi, assistant(...ids.map(call)), ...ids.map((id) => tool(result(id))), ok]
    expect(brokenRules(items)).toEqual([])
    for (const at of ids.keys()) {
      expect(brokenRules(items.toSpliced(2 + at, 1))).toEqual(['ai-sdk/call-without-result'])
    }
    const group = groupMessages(items.map(aiSdk.view))[1]
    expect(group?.slices.map((slice) => slice.position)).toEqual(Array.from({ length: 11 }, (_, at) => at + 1))
  })

  test('TC-13 PARALLEL a pending call, its approval request and the response are one group and a valid end', () => {
    const items = [hi, assistant(call('c1'), request('a1', 'c1')), tool(response('a1'))]
    expect(brokenRules(items)).toEqual([])
    const groups = groupMessages(items.map(aiSdk.view))
    expect(groups.map((group) => group.kind)).toEqual(['user', 'tool-batch'])
    expect(groups[1]?.slices.map((slice) => slice.position)).toEqual([1, 2])
    expect(groups[1]?.unanswered.map((open) => open.callId)).toEqual(['c1'])
    // The call runs once, when the result comes; asked and not yet answered is a valid end too.
    expect(brokenRules([...items, tool(result('c1')), ok])).toEqual([])
    expect(brokenRules(items.slice(0, 2))).toEqual([])
    expect(brokenRules(items.toSpliced(1, 1))).toEqual(['ai-sdk/approval-response-without-request'])
  })
})
