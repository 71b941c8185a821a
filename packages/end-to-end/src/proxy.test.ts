import type { Wirelab } from '@palimpsest/wirelab'
import { afterEach, describe, expect, test } from 'vitest'
import { type AgentClient, CLIENTS, type ClientSetup, type Tool } from './fetch-clients.test-data.ts'
import { endAll, metric, readPart, refusals, STEPS, startBoth, WINDOW } from './proxy.test-data.ts'
import { bedrockAgent, bedrockClient } from './proxy-bedrock.test-data.ts'

afterEach(endAll)

/** The six clients, as they are pointed at a base URL and know nothing of the proxy. */
const AGENTS: Readonly<Record<string, (url: string, tool: Tool) => AgentClient>> = {
  '@anthropic-ai/sdk': over('@anthropic-ai/sdk streaming'),
  'openai chat': over('openai chat streaming'),
  'openai responses': over('openai responses streaming'),
  'openai codex': over('openai codex streaming'),
  '@google/genai': over('@google/genai streaming'),
  '@aws-sdk/client-bedrock-runtime': (url, tool) => bedrockAgent(bedrockClient(url), tool),
}

function over(name: string): (url: string, tool: Tool) => AgentClient {
  const agent = CLIENTS[name] as (setup: ClientSetup, tool: Tool) => AgentClient
  return (url, tool) => agent({ url, fetch: globalThis.fetch }, tool)
}

describe.each(Object.entries(AGENTS))('%s', (_name, agent) => {
  test('finishes a loop of 400 steps that has three times the window, and nothing is ever refused', async () => {
    const { lab, proxy } = await startBoth()
    let steps = 0
    const counted: Tool = (input) => {
      steps += 1
      return readPart(input)
    }
    expect(await agent(proxy.url, counted).run('Read the parts.')).toBe('All is done.')
    expect(steps).toBe(STEPS)
    expect(refusals(lab)).toEqual([])
    expect(mainCalls(lab)).toBe(STEPS + 1)
    expect(metric(proxy, 'palimpsest_compactions_total{reason="threshold"}')).toBeGreaterThan(2)
    expect(metric(proxy, 'palimpsest_overflow_retries_total')).toBe(0)
    expect(lab.calls.every(({ tokens }) => tokens <= WINDOW)).toBe(true)
  })
})

function mainCalls({ calls }: Wirelab): number {
  return calls.filter(({ kind, purpose }) => kind === 'generate' && purpose === 'main').length
}
