import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AgentMiddleware, type ModelStep, SLOTS, type SlotName } from './middleware.ts'
import type { ModelAnswer } from './model-answer.ts'
import { MiddlewareStack } from './stack.ts'

const step = {} as ModelStep
const answer: ModelAnswer = {
  message: undefined,
  text: '',
  calls: [],
  finish: { unified: 'stop', raw: undefined },
  usage: undefined,
  end: undefined,
}

/** A slot that notes when it is passed, on the way in and on the way out. */
function noting(name: SlotName, notes: string[]): AgentMiddleware {
  return {
    name,
    contribute: () => ({ system: [{ text: `${name} stays` }, { text: `${name} changes`, volatile: true }] }),
    async wrapModelCall(call, next) {
      notes.push(`in ${name}`)
      const given = await next(call)
      notes.push(`out ${name}`)
      return given
    },
    wrapToolOutput: async (output) => ({ ...output, text: `${name}(${output.text})` }),
  }
}

describe('D11 the order of the slots', () => {
  test('is filesystem, sub-agent, summarisation, prompt cache, memory', () => {
    expect(SLOTS).toEqual(['filesystem', 'sub-agent', 'summarisation', 'prompt-cache', 'memory'])
  })

  test('is the same whatever order they are given in, and whichever are left out', async () => {
    const chosen = fc.shuffledSubarray([...SLOTS])
    await fc.assert(
      fc.asyncProperty(chosen, async (names) => {
        const notes: string[] = []
        const stack = new MiddlewareStack(names.map((name) => noting(name, notes)))
        await stack.around(async () => {
          notes.push('model')
          return answer
        })(step)
        const order = SLOTS.filter((name) => names.includes(name))
        expect(notes).toEqual([
          ...order.map((name) => `in ${name}`),
          'model',
          ...order.toReversed().map((name) => `out ${name}`),
        ])
        const output = await stack.output({ text: 'x' }, { id: '1', tool: 't', signal: new AbortController().signal })
        expect(output.text).toBe(order.toReversed().reduce((text, name) => `${name}(${text})`, 'x'))
        const { system } = await stack.contributions(new AbortController().signal)
        expect(system.map(({ text }) => text)).toEqual([
          ...order.map((name) => `${name} stays`),
          ...order.map((name) => `${name} changes`),
        ])
      }),
    )
  })

  test('has each slot once', () => {
    expect(() => new MiddlewareStack([{ name: 'memory' }, { name: 'memory' }])).toThrow(/memory is filled 2 times/)
  })
})
