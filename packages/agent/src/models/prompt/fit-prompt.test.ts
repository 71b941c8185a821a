import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, AssistantPart } from './assistant-part.ts'
import { ANY_ID, CLAUDE_IDS, MISTRAL_IDS, RESPONSES_IDS } from './call-ids.ts'
import { fitPrompt, type PromptRules } from './fit-prompt.ts'
import { encryptedBy, noReasoning, sealedBy, unsealedOr } from './reasoning-rules.ts'

const RULES: Readonly<Record<string, PromptRules>> = {
  anthropic: {
    reasoning: sealedBy('anthropic', ['signature', 'redactedData']),
    callIds: CLAUDE_IDS,
    refusesBlankText: true,
  },
  openai: { reasoning: encryptedBy('openai'), callIds: RESPONSES_IDS, itemIds: 'openai' },
  codex: { reasoning: encryptedBy('codex'), callIds: RESPONSES_IDS, itemIds: 'codex' },
  google: { reasoning: unsealedOr('google'), callIds: ANY_ID },
  bedrock: { reasoning: sealedBy('bedrock', ['signature', 'redactedContent', 'redactedData']), callIds: CLAUDE_IDS },
  mistral: { reasoning: noReasoning, callIds: MISTRAL_IDS },
}

const OWN_REASONING: readonly [provider: string, options: AssistantPart['providerOptions']][] = [
  ['anthropic', { anthropic: { signature: 'sig' } }],
  ['anthropic', { anthropic: { redactedData: 'data' } }],
  ['openai', { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gAAA' } }],
  ['codex', { codex: { itemId: 'rs_2', reasoningEncryptedContent: 'gAAB' } }],
  ['google', { google: { thoughtSignature: 'thought' } }],
  ['bedrock', { bedrock: { signature: 'sig' } }],
]

/** Steps that no two providers would write alike: everyone's reasoning, ids of every kind, empty texts, answers of nothing. */
const step: fc.Arbitrary<LanguageModelV3Prompt> = fc
  .record({
    before: fc.array(
      fc.oneof(
        fc.constantFrom(...OWN_REASONING.map(([, providerOptions]) => providerOptions)).map((providerOptions) => ({
          type: 'reasoning' as const,
          text: 'Hm.',
          ...(providerOptions && { providerOptions }),
        })),
        fc.constant({ type: 'reasoning' as const, text: 'unsigned' }),
        fc.constant({ type: 'reasoning' as const, text: '', providerOptions: { openai: { itemId: 'rs_9' } } }),
        fc.constantFrom('', ' \n', 'words').map((text) => ({ type: 'text' as const, text })),
        fc.constant({ type: 'text' as const, text: 'named', providerOptions: { openai: { itemId: 'msg_1' } } }),
      ),
      { maxLength: 4 },
    ),
    tool: fc.constantFrom('read', 'functions.read', '', 'bash<|channel|>json', 'é'.repeat(99)),
    calls: fc.uniqueArray(fc.constantFrom('call_0', 'call_1', 'a.b:c', 'é', 'x'.repeat(70), 'toolu_01A'), {
      maxLength: 3,
    }),
  })
  .map(({ before, tool, calls }) => [
    {
      role: 'assistant',
      content: [
        ...before,
        ...calls.map((toolCallId) => ({ type: 'tool-call' as const, toolCallId, toolName: tool, input: {} })),
      ],
    },
    calls.length === 0
      ? { role: 'user', content: [{ type: 'text', text: 'Go on.' }] }
      : {
          role: 'tool',
          content: calls.map((toolCallId) => ({
            type: 'tool-result' as const,
            toolCallId,
            toolName: tool,
            output: { type: 'text' as const, value: 'x' },
          })),
        },
  ])

const prompts: fc.Arbitrary<LanguageModelV3Prompt> = fc
  .array(step, { maxLength: 5 })
  .map((steps) => [
    { role: 'system', content: 'Be careful.' },
    { role: 'user', content: [{ type: 'text', text: 'Read.' }] },
    ...steps.flat(),
  ])

describe.each(Object.entries(RULES))('F1 a prompt as %s takes it', (_name, rules) => {
  const fit = fitPrompt(rules)

  test('extends what it was when the prompt was shorter', () => {
    fc.assert(
      fc.property(prompts, fc.nat(), (prompt, cut) => {
        const shorter = fit(prompt.slice(0, cut % (prompt.length + 1)))
        expect(fit(prompt).slice(0, shorter.length)).toEqual(shorter)
      }),
    )
  })

  test('is the same object once it fits', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const fitted = fit(prompt)
        // an id that stood on two calls has two ids by then
        expect(fit(fitted)).toBe(fitted)
      }),
    )
  })

  test('keeps its own reasoning as it stands, in its place', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const own = prompt.flatMap(({ role, content }) =>
          role === 'assistant' ? followedReasoning(content, rules) : [],
        )
        const kept = fit(prompt).flatMap(({ role, content }) =>
          role === 'assistant' ? content.filter(({ type }) => type === 'reasoning') : [],
        )
        expect(kept).toHaveLength(own.length)
        for (const [at, part] of kept.entries()) expect(part).toBe(own[at])
      }),
    )
  })

  test('is never written into', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const before = structuredClone(prompt)
        fit(prompt)
        expect(prompt).toEqual(before)
      }),
    )
  })

  test('pairs every call with its result, under ids that are taken, in as many messages as call something', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const fitted = fit(prompt)
        expect(callsOf(fitted)).toHaveLength(callsOf(prompt).length)
        for (const [at, message] of fitted.entries()) {
          if (message.role !== 'tool') continue
          const before = fitted[at - 1]
          expect(before?.role).toBe('assistant')
          const results = message.content.map((part) => (part.type === 'tool-result' ? part.toolCallId : ''))
          expect(before === undefined ? [] : callIds(before)).toEqual(results)
          for (const id of results) expect(id).toMatch(rules.callIds.takes)
        }
        const ids = callsOf(fitted)
        if (rules.callIds.once === true) expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })

  test('names tools as every provider takes them, a call and its result alike', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const names = fit(prompt).map(toolNames)
        for (const name of names.flat()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        for (const [at, { role }] of fit(prompt).entries())
          if (role === 'tool') expect(names[at]).toEqual(names[at - 1])
      }),
    )
  })

  test('has no empty answer, no empty text and no reasoning with nothing behind it', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const answers = fit(prompt).filter((message): message is AssistantMessage => message.role === 'assistant')
        // what was empty before is not ours to judge
        for (const { content } of answers.filter((answer) => !prompt.includes(answer))) {
          expect(content.at(-1)?.type).not.toBe('reasoning')
          expect(content).not.toHaveLength(0)
          const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []))
          expect(texts.filter((text) => isIdle(text, rules))).toEqual([])
        }
      }),
    )
  })
})

describe('F1 reasoning', () => {
  test.each(OWN_REASONING)(
    'that %s signed stays with it, untouched, and leaves with every other',
    (owner, providerOptions) => {
      const reasoning = { type: 'reasoning' as const, text: 'Hm.', ...(providerOptions && { providerOptions }) }
      const prompt = answering([reasoning, { type: 'text', text: 'I see.' }])
      for (const [name, rules] of Object.entries(RULES)) {
        const fitted = fitPrompt(rules)(prompt)
        if (name === owner) expect(fitted).toBe(prompt)
        else expect(fitted).toEqual(answering([{ type: 'text', text: 'I see.' }]))
      }
    },
  )

  test('of one item in several parts stays whole where one of them carries what is encrypted', () => {
    const prompt = answering([
      {
        type: 'reasoning',
        text: 'First.',
        providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: null } },
      },
      {
        type: 'reasoning',
        text: 'Second.',
        providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gA' } },
      },
      { type: 'text', text: 'I see.', providerOptions: { openai: { itemId: 'msg_1' } } },
    ])
    expect(fitPrompt(RULES.openai as PromptRules)(prompt)).toBe(prompt)
  })

  test('that is a mere reference leaves, and so do the ids of what came with it', () => {
    const prompt = answering([
      { type: 'reasoning', text: 'Hm.', providerOptions: { openai: { itemId: 'rs_1' } } },
      { type: 'text', text: 'I see.', providerOptions: { openai: { itemId: 'msg_1', phase: 'commentary' } } },
    ])
    expect(fitPrompt(RULES.openai as PromptRules)(prompt)).toEqual(
      answering([{ type: 'text', text: 'I see.', providerOptions: { openai: { phase: 'commentary' } } }]),
    )
  })

  test('alone in an answer takes the answer with it', () => {
    const prompt = answering([
      { type: 'reasoning', text: 'Hm.', providerOptions: { google: { thoughtSignature: 'x' } } },
    ])
    expect(fitPrompt(RULES.anthropic as PromptRules)(prompt)).toEqual(prompt.slice(0, 1))
  })

  test('that nobody signed goes where nobody signs, and nowhere else', () => {
    const prompt = answering([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'I see.' },
    ])
    const staying = Object.entries(RULES).filter(([, rules]) => fitPrompt(rules)(prompt) === prompt)
    expect(staying.map(([name]) => name)).toEqual(['google'])
  })
})

describe('F1 texts', () => {
  test('that are blank leave where they are refused, beside signed thinking too', () => {
    const thought = { type: 'reasoning' as const, text: 'Hm.', providerOptions: { anthropic: { signature: 'sig' } } }
    const prompt = answering([thought, { type: 'text', text: '\n\n' }, call('call_0')])
    expect(fitPrompt(RULES.anthropic as PromptRules)(prompt)).toEqual(answering([thought, call('call_0')]))
  })
})

describe('F1 ids of calls', () => {
  test('that come again get ids of their own where an id stands once', () => {
    const prompt = [...answering([call('call_0')]), result('call_0'), ...answering([call('call_0')]), result('call_0')]
    const ids = callsOf(fitPrompt(RULES.anthropic as PromptRules)(prompt))
    expect(ids[0]).toBe('call_0')
    expect(ids[1]).toMatch(/^call_[0-9a-f]{24}$/)
    expect(fitPrompt(RULES.google as PromptRules)(prompt)).toBe(prompt)
  })
})

/** What the provider takes back of it and what says something behind it. */
function followedReasoning(content: readonly AssistantPart[], rules: PromptRules): readonly AssistantPart[] {
  const lastWord = content.findLastIndex(
    (part) => part.type !== 'reasoning' && !(part.type === 'text' && isIdle(part.text, rules)),
  )
  return content.filter((part, at) => part.type === 'reasoning' && at < lastWord && rules.reasoning(part, content))
}

function isIdle(text: string, { refusesBlankText }: PromptRules): boolean {
  return text === '' || (refusesBlankText === true && text.trim() === '')
}

function toolNames({ content }: LanguageModelV3Message): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => ('toolName' in part ? part.toolName : []))
}

function answering(content: AssistantMessage['content']): LanguageModelV3Prompt {
  return [
    { role: 'user', content: [{ type: 'text', text: 'Read.' }] },
    { role: 'assistant', content },
  ]
}

function call(toolCallId: string): AssistantPart {
  return { type: 'tool-call', toolCallId, toolName: 'read', input: {} }
}

function result(toolCallId: string): LanguageModelV3Message {
  const output = { type: 'text' as const, value: 'x' }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] }
}

function callIds(message: LanguageModelV3Message): readonly string[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
}

function callsOf(prompt: LanguageModelV3Prompt): readonly string[] {
  return prompt.flatMap(callIds)
}
