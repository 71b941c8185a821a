import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { BEDROCK_RULES, bedrockConverse } from './index.ts'
import type { BedrockMessage } from './items.ts'

const point = { cachePoint: { type: 'default' } }
const hour = { cachePoint: { type: 'default', ttl: '1h' } }
const text = (value: string) => ({ text: value })
const call = (toolUseId: string, input: unknown = {}) => ({ toolUse: { toolUseId, name: 'run', input } })
const result = (toolUseId: string, content: unknown = [{ text: 'ok' }]) => ({ toolResult: { toolUseId, content } })
const reasoning = { reasoningContent: { reasoningText: { text: 'x', signature: 's' } } }
const file = { document: { name: 'n', source: { bytes: 'x' } } }
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const hello = user(text('hello'))
const answer = assistant(text('a'))

function rulesOf(items: unknown[], rest: Partial<Conversation<BedrockMessage>> = {}): string[] {
  const view = deepFreeze({ system: [], items: items as BedrockMessage[], ...rest })
  return bedrockConverse.check(view).map(({ rule }) => rule)
}

/** For every rule a conversation that breaks it, and it alone. */
const VIOLATIONS: { readonly [rule in (typeof BEDROCK_RULES)[keyof typeof BEDROCK_RULES]]: () => string[] } = {
  'bedrock/malformed-message': () => rulesOf([hello, { role: 'tool', content: [] }]),
  'bedrock/no-messages': () => rulesOf([]),
  'bedrock/first-not-user': () => rulesOf([answer, hello]),
  'bedrock/last-not-user': () => rulesOf([hello, answer]),
  'bedrock/alternation': () => rulesOf([hello, hello]),
  'bedrock/empty-content': () => rulesOf([user()]),
  'bedrock/blank-text': () => rulesOf([user(text('hello'), text(' \n'))]),
  'bedrock/block-in-wrong-role': () => rulesOf([user(text('hello'), reasoning)]),
  'bedrock/document-without-text': () => rulesOf([user(file)]),
  'bedrock/tool-call-id-repeated': () => rulesOf([hello, assistant(call('t'), call('t')), user(result('t'))]),
  'bedrock/tool-call-input': () => rulesOf([hello, assistant(call('t', 'text')), user(result('t'))]),
  'bedrock/tool-call-without-result': () => rulesOf([hello, assistant(call('t'), call('u')), user(result('t'))]),
  'bedrock/tool-result-without-call': () => rulesOf([hello, answer, user(result('t'))]),
  'bedrock/tool-result-repeated': () => rulesOf([hello, assistant(call('t')), user(result('t'), result('t'))]),
  'bedrock/tool-config-missing': () => rulesOf([hello, assistant(call('t')), user(result('t'))], { tools: [point] }),
  'bedrock/too-many-cache-points': () =>
    rulesOf([user(text('a'), point, text('b'), point)], {
      system: [text('s'), point],
      tools: [{ toolSpec: {} }, point, point],
    }),
  'bedrock/cache-point-misplaced': () => rulesOf([user(point, text('a'))]),
  'bedrock/cache-point-order': () => rulesOf([user(text('a'), point, text('b'), hour)]),
}

describe('check', () => {
  it.each(Object.entries(VIOLATIONS))('%s is found where it alone is broken', (rule, found) => {
    expect(found()).toEqual([rule])
  })

  it('every rule is shown broken', () => {
    expect(Object.keys(VIOLATIONS).sort()).toEqual(Object.values(BEDROCK_RULES).sort())
  })

  it('finds blank texts inside results and guarded content', () => {
    expect(rulesOf([hello, assistant(call('t')), user(result('t', [text('')]))])).toEqual(['bedrock/blank-text'])
    expect(rulesOf([user({ guardContent: { text: { text: ' ' } } })])).toEqual(['bedrock/blank-text'])
    expect(rulesOf([hello, assistant(call('t')), user(result('t', []))])).toEqual([])
  })

  it('lets a provider’s own result stand beside its call, and system messages between turns', () => {
    const own = { toolUse: { toolUseId: 's', name: 'grounding', input: {}, type: 'server_tool_use' } }
    expect(rulesOf([hello, assistant(own, result('s')), hello])).toEqual([])
    expect(rulesOf([hello, assistant(result('s'), text('a')), hello])).toEqual(['bedrock/block-in-wrong-role'])
    expect(rulesOf([hello, { role: 'system', content: [text('s')] }, answer, hello])).toEqual([])
  })

  it('finds a cache point behind reasoning, and counts points everywhere', () => {
    expect(rulesOf([hello, assistant(reasoning, point, text('a')), hello])).toEqual(['bedrock/cache-point-misplaced'])
  })
})
