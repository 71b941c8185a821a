import Anthropic from '@anthropic-ai/sdk'
import { answer, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import { afterEach, expect, it } from 'vitest'
import { pacedFetch } from './paced-fetch.ts'

let lab: Wirelab | undefined
afterEach(() => lab?.close())

const TEXT = 'Zwölf Möwen\n\n- und **mehr** als das, 🐦🐦🐦🐦🐦🐦🐦🐦🐦🐦🐦🐦, immer weiter.\n'.repeat(9)

it('an answer comes in small pieces, and is the same', async () => {
  lab = await startWirelab({ script: answer(TEXT) })
  const client = new Anthropic({ baseURL: lab.url, apiKey: 'any', fetch: pacedFetch(0) })
  const pieces: string[] = []
  const stream = client.messages.stream({
    model: 'm',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'Well?' }],
  })
  stream.on('text', (piece) => pieces.push(piece))
  const { content } = await stream.finalMessage()
  expect(content).toEqual([{ type: 'text', text: TEXT }])
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20)
})

it('an answer without a stream, and a refusal, are passed on', async () => {
  lab = await startWirelab({ script: answer(TEXT) })
  const client = new Anthropic({ baseURL: lab.url, apiKey: 'any', maxRetries: 0, fetch: pacedFetch(0) })
  const ask = { model: 'm', max_tokens: 1_000 }
  const { content } = await client.messages.create({ ...ask, messages: [{ role: 'user', content: 'Well?' }] })
  expect(content).toEqual([{ type: 'text', text: TEXT }])
  await expect(client.messages.create({ ...ask, messages: [] })).rejects.toThrow(/at least one message/)
})
