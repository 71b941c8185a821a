import { describe, expect, test } from 'vitest'
import type { LabRules, Reply } from '../../format.ts'
import { anthropicMessagesFormat } from './index.ts'

type Block = Readonly<Record<string, unknown>>
interface Message {
  readonly role: string
  readonly content: string | readonly Block[]
}
interface Body {
  readonly model: string
  readonly max_tokens: number
  readonly system?: unknown
  readonly tools: readonly object[]
  readonly messages: readonly Message[]
  readonly thinking?: object
}

const START: Body = {
  model: 'claude-opus-5-5',
  max_tokens: 1000,
  system: 'You are careful.',
  tools: [{ name: 'read', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: 'Read both files.' }],
}

/** The conversation after `steps` answers that think and call a tool, each with its result. */
function afterSteps(steps: number, start = START): Body {
  let body = start
  for (let step = 0; step < steps; step++) {
    const id = `toolu_${body.messages.length}`
    body = extend(body, answered(body, id), {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
    })
  }
  return body
}

function extend(body: Body, ...messages: readonly Message[]): Body {
  return { ...body, messages: [...body.messages, ...messages] }
}

function answered(body: Body, id: string): Message {
  const reply: Reply = {
    parts: [
      { kind: 'reasoning', text: `What is in ${id}?` },
      { kind: 'text', text: 'One more.' },
      { kind: 'reasoning', text: `And behind ${id}?` },
      { kind: 'tool-call', id, name: 'read', input: {} },
    ],
  }
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
  const message = anthropicMessagesFormat.reply(reply, { id, model: body.model, usage, body })
  return { role: 'assistant', content: (message as { readonly content: readonly Block[] }).content }
}

function ruleBroken(body: Body, thinkingBinding: LabRules['thinkingBinding']): string | undefined {
  const rules: LabRules = { thinkingBinding, strictAlternation: false, systemInMessages: true }
  const found = anthropicMessagesFormat.validate(body, rules, { kind: 'generate', stream: false, model: body.model })
  return found?.rule
}

/** The body with one message's blocks changed. */
function edited(body: Body, index: number, edit: (blocks: readonly Block[]) => readonly Block[]): Body {
  const messages = body.messages.map((message, at) =>
    at === index && typeof message.content !== 'string' ? { ...message, content: edit(message.content) } : message,
  )
  return { ...body, messages }
}

const withoutThinking = (blocks: readonly Block[]) => blocks.filter(({ type }) => type !== 'thinking')
const shortened = (blocks: readonly Block[]) =>
  blocks.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'What' } : block))

describe('both bindings', () => {
  test.each(['turn', 'prefix'] as const)('%s: what was issued comes back as it was', (binding) => {
    expect(ruleBroken(afterSteps(3), binding)).toBeUndefined()
  })

  test.each(['turn', 'prefix'] as const)(
    '%s: nothing else may be written differently, but cache marks may',
    (binding) => {
      const marked = edited(afterSteps(2), 2, (blocks) =>
        blocks.map((one) => ({ ...one, cache_control: { type: 'ephemeral' } })),
      )
      expect(ruleBroken(marked, binding)).toBeUndefined()
      expect(ruleBroken(edited(afterSteps(2), 1, shortened), binding)).toBe('thinking-modified')
    },
  )

  test.each(['turn', 'prefix'] as const)('%s: a signature that somebody changed is invalid', (binding) => {
    const changed = edited(afterSteps(1), 1, (blocks) =>
      blocks.map((one) =>
        one.type === 'thinking' ? { ...one, signature: `${String(one.signature).slice(0, -8)}AAAAAAAA` } : one,
      ),
    )
    expect(ruleBroken(changed, binding)).toBe('thinking-signature')
  })

  test('none: anything goes', () => {
    expect(ruleBroken(edited(afterSteps(2), 1, shortened), 'none')).toBeUndefined()
  })
})

describe('bound to the turn', () => {
  test('what stands before may change', () => {
    const body = afterSteps(2)
    expect(ruleBroken({ ...body, system: 'You are quick.' }, 'turn')).toBeUndefined()
    const cut = edited(body, 2, (blocks) => blocks.map((one) => ({ ...one, content: '…' })))
    expect(ruleBroken(cut, 'turn')).toBeUndefined()
  })

  test('thinking of the open turn may not leave, that of older turns may', () => {
    const open = edited(afterSteps(2), 1, withoutThinking)
    expect(ruleBroken(open, 'turn')).toBe('thinking-modified')
    const next = extend(open, { role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Go on.' })
    expect(ruleBroken(afterSteps(2, next), 'turn')).toBeUndefined()
  })

  test('whole steps may leave the open turn from its front, with their thinking', () => {
    const body = afterSteps(3)
    const [task, _call, _result, ...kept] = body.messages
    expect(ruleBroken({ ...body, messages: [task as Message, ...kept] }, 'turn')).toBeUndefined()
    const [, , , ...rest] = edited(body, 3, withoutThinking).messages
    expect(ruleBroken({ ...body, messages: [task as Message, ...rest] }, 'turn')).toBe('thinking-modified')
  })

  test('a block that moved behind its call, out of order, or into another message is refused', () => {
    const body = afterSteps(2)
    const behind = ([first, ...rest]: readonly Block[]) => [...rest, first as Block, { type: 'text', text: '.' }]
    expect(ruleBroken(edited(body, 1, behind), 'turn')).toBe('thinking-modified')
    const swapped = ([a, b, c, ...rest]: readonly Block[]) => [c as Block, b as Block, a as Block, ...rest]
    expect(ruleBroken(edited(body, 1, swapped), 'turn')).toBe('thinking-modified')
    const [stolen] = body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) as [Block]
    const moved = edited(
      edited(body, 1, (blocks) => blocks.slice(1)),
      3,
      (blocks) => [stolen, ...blocks],
    )
    expect(ruleBroken(moved, 'turn')).toBe('thinking-modified')
  })

  test('thinking that another provider signed cannot be verified, and passes', () => {
    const foreign = edited(afterSteps(1), 1, (blocks) =>
      blocks.map((one) => (one.type === 'thinking' ? { ...one, signature: 'EqQBCgIYAhIM' } : one)),
    )
    expect(ruleBroken(foreign, 'turn')).toBeUndefined()
    expect(ruleBroken(foreign, 'prefix')).toBe('thinking-signature')
  })
})

describe('bound to the prefix', () => {
  const body = afterSteps(2)
  const CHANGES: readonly (readonly [string, Body])[] = [
    ['another system prompt', { ...body, system: 'You are quick.' }],
    ['another tool', { ...body, tools: [...body.tools, { name: 'write', input_schema: { type: 'object' } }] }],
    ['another opening', { ...body, messages: [{ role: 'user', content: 'Read them.' }, ...body.messages.slice(1)] }],
    ['a shorter result', edited(body, 2, (blocks) => blocks.map((one) => ({ ...one, content: '…' })))],
  ]

  test.each(CHANGES)('%s: bound to a different conversation', (_what, changed) => {
    expect(ruleBroken(changed, 'prefix')).toBe('thinking-bound')
  })

  test.each(CHANGES)(
    '%s: without thinking it passes, and thinking made since is bound to the change',
    (_what, changed) => {
      const stripped = {
        ...changed,
        messages: changed.messages.map((one) =>
          typeof one.content === 'string' ? one : { ...one, content: withoutThinking(one.content) },
        ),
      }
      expect(ruleBroken(stripped, 'prefix')).toBeUndefined()
      expect(ruleBroken(afterSteps(2, stripped), 'prefix')).toBeUndefined()
    },
  )

  test('the caller may let the API leave out what no longer belongs', () => {
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    expect(ruleBroken({ ...body, system: 'You are quick.', thinking }, 'prefix')).toBeUndefined()
  })

  test('a content written as a string is the same as one written as a block', () => {
    const written = [{ role: 'user', content: [{ type: 'text', text: 'Read both files.' }] }, ...body.messages.slice(1)]
    expect(ruleBroken({ ...body, messages: written }, 'prefix')).toBeUndefined()
  })

  test('thinking may leave from the front on, but leaves no gap', () => {
    const three = afterSteps(3)
    expect(ruleBroken(edited(three, 1, withoutThinking), 'prefix')).toBeUndefined()
    expect(ruleBroken(edited(three, 3, withoutThinking), 'prefix')).toBe('thinking-bound')
  })

  test('a line that a client writes anew for each request is no change', () => {
    const at = (count: number) => [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cch=${count};` },
      { type: 'text', text: 'You are careful.' },
    ]
    const counted = afterSteps(1, { ...START, system: at(1) })
    expect(ruleBroken({ ...counted, system: at(2) }, 'prefix')).toBeUndefined()
  })

  test('the words are those by which clients know it', () => {
    const rules: LabRules = { thinkingBinding: 'prefix', strictAlternation: false, systemInMessages: true }
    const message = anthropicMessagesFormat.validate({ ...body, system: 'x' }, rules, {
      kind: 'generate',
      stream: false,
      model: 'm',
    })
    expect(message?.message).toMatch(
      /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to/,
    )
  })
})
