import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { benches, calls, ofType, says } from './agent.test-data.ts'

const bench = benches()

/** Whose call is it? The prompt of a sub-agent begins with the task that it was given. */
function isTask(body: unknown, task: string): boolean {
  const { messages } = body as { messages: { content: unknown }[] }
  return JSON.stringify(messages[0]?.content).includes(task)
}

describe('the tool task', () => {
  test('runs a sub-agent with a context of its own; its answer alone comes back, and what it used is counted', async () => {
    const steps = { main: 0, sub: 0 }
    const { start, events, lab } = await bench({
      files: { 'a.txt': 'the secret number is 41\n' },
      script: ({ body }) => {
        if (isTask(body, 'Find the number')) {
          steps.sub += 1
          return steps.sub === 1 ? calls(['read_file', { path: 'a.txt' }]) : says('It is 41.')
        }
        steps.main += 1
        return steps.main === 1
          ? calls(['task', { description: 'find number', prompt: 'Find the number in a.txt.' }])
          : says('The number is 41.')
      },
    })
    const agent = await start()
    const result = await agent.send('Which number?')
    expect(result.texts).toEqual(['The number is 41.'])
    expect(ofType(events, 'tool-result').map(({ text, failed }) => [text, failed])).toEqual([['It is 41.', false]])
    const told = ofType(events, 'sub-agent').map(({ event }) => event.type)
    expect(told).toContain('tool-result')
    expect(told.at(-1)).toBe('turn-ended')
    expect(JSON.stringify(await agent.session.transcript())).not.toContain('the secret number')
    const sub = lab.calls.filter(({ body }) => isTask(body, 'Find the number'))
    expect(sub).toHaveLength(2)
    for (const { bodyText } of sub) {
      expect(bodyText).not.toContain('Which number?')
      // it starts no further ones
      expect(bodyText).not.toContain('"name":"task"')
    }
    const { usage, lastInputTokens } = agent.session.snapshot
    expect(usage['sub-agent']).toMatchObject({
      calls: 2,
      input: sub.reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0),
    })
    expect(usage.chat.calls).toBe(2)
    expect(lastInputTokens).toBe(lab.calls.at(-1)?.usage?.input)
    expect((await agent.cost()).subAgents).toEqual(usage['sub-agent'])
  })

  test('asks the same person for what it wants to write', async () => {
    const asked: string[] = []
    const { start, cwd } = await bench({
      config: { allow: [] },
      ask: async ({ target }) => {
        asked.push(target)
        return { denied: 'not now' }
      },
      script: ({ body, answered }) => {
        if (!isTask(body, 'Write it'))
          return answered === 0 ? calls(['task', { description: 'w', prompt: 'Write it.' }]) : says('Denied.')
        return answered === 1 ? calls(['write_file', { path: 'x.txt', content: 'x' }]) : says('I was not allowed to.')
      },
    })
    expect((await (await start()).send('Do.')).outcome).toBe('answered')
    expect(asked).toEqual(['x.txt'])
    expect(existsSync(join(cwd, 'x.txt'))).toBe(false)
  })

  test('that fails is a failed call, and the agent goes on', async () => {
    const { start, events } = await bench({
      config: { maxSteps: 3 },
      script: ({ body }) => {
        if (isTask(body, 'For ever')) return calls(['list_files', {}])
        return JSON.stringify(body).includes('did not finish')
          ? says('Then not.')
          : calls(['task', { description: 'w', prompt: 'For ever.' }])
      },
    })
    expect(await (await start()).send('Do.')).toMatchObject({ outcome: 'answered', texts: ['Then not.'] })
    expect(ofType(events, 'tool-result').at(-1)).toMatchObject({ name: 'task', failed: true })
  })
})
