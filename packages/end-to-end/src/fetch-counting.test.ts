import { startWirelab, toolLoop } from '@palimpsest/wirelab'
import { palimpsestFetch } from 'palimpsest/fetch'
import { describe, expect, it } from 'vitest'
import { CLIENTS } from './fetch-clients.test-data.ts'

const COUNTING = [
  ['@anthropic-ai/sdk', /\/messages\/count_tokens$/],
  ['@google/genai streaming', /:countTokens$/],
  ['bedrock of the AI SDK', /\/count-tokens$/],
] as const

describe('A2 counting by the server of the call', () => {
  it.each(COUNTING)('%s is counted near the trigger, and compacts by the count', async (name, path) => {
    const lab = await startWirelab({
      window: 32_000,
      script: toolLoop({ steps: 40, tool: 'read_file', resultTokens: 900, final: 'Done.' }),
      // one token for every two characters: far more than any estimate
      counter: (text) => Math.ceil(text.length / 2),
    })
    try {
      const fetch = palimpsestFetch({ window: 32_000, summarizer: 'extractive', counter: 'near' })
      const tool = ({ tokens = 900 }) => 'word '.repeat(Math.floor((tokens * 2) / 5))
      const client = CLIENTS[name]?.({ url: lab.url, fetch }, tool)
      expect(await client?.run('Read all files.')).toContain('Done.')
      const counts = lab.calls.filter((call) => call.kind === 'count')
      expect(counts.length).toBeGreaterThan(0)
      for (const count of counts)
        expect(count).toMatchObject({ path: expect.stringMatching(path), outcome: 'answered' })
      expect(lab.calls.filter((call) => call.outcome === 'refused')).toEqual([])
    } finally {
      await lab.close()
    }
  })
})
