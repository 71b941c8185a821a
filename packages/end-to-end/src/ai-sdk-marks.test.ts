import { generateText, wrapLanguageModel } from 'ai'
import { palimpsest } from 'palimpsest/ai-sdk'
import { expect, test } from 'vitest'
import { historyOf, modelAt, readTool } from './ai-sdk.test-data.ts'
import { labsOf } from './labs.test-data.ts'

const { lab } = labsOf(200_000)

// a cache point of Bedrock stands behind what it marks
test.each([
  ['anthropic', { system: [1], summary: [0] }],
  ['bedrock', { system: [2], summary: [1] }],
] as const)(
  'D10 %s: after a compaction the system prompt and the summary are marked, and nothing else',
  async (name, at) => {
    const { url, calls } = await lab({})
    const middleware = palimpsest({ window: 12_000, summarizer: 'extractive' })
    const { text } = await generateText({
      model: wrapLanguageModel({ model: modelAt(name, url), middleware }),
      tools: { read: readTool },
      messages: [
        { role: 'system', content: 'You are careful.' },
        { role: 'system', content: 'Never push.' },
        ...historyOf(30),
      ],
      allowSystemInMessages: true,
      maxOutputTokens: 1_000,
    })
    expect(text).toBe('Done.')
    const body = calls[0]?.body as Body | undefined
    expect(marksOf(body?.system)).toEqual(at.system)
    expect(JSON.stringify(body?.messages[0]?.content[0])).toContain('compacted_context')
    const inMessages = body?.messages.map(({ content }) => marksOf(content)) ?? []
    expect(inMessages).toEqual(inMessages.map((_, message) => (message === 0 ? at.summary : [])))
  },
)

function marksOf(blocks: readonly Block[] = []): readonly number[] {
  return blocks.flatMap((block, at) =>
    block.cache_control !== undefined || block.cachePoint !== undefined ? [at] : [],
  )
}

interface Block {
  readonly cache_control?: unknown
  readonly cachePoint?: unknown
}

interface Body {
  readonly system: readonly Block[]
  readonly messages: readonly { readonly content: readonly Block[] }[]
}
