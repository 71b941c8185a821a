import { describe, expect, it } from 'vitest'
import { routeOf } from '../../wire/routes.ts'
import type { ModelRoute } from './request-envelope.ts'
import { summaryHeaders, summaryUrl } from './summary-target.ts'

const HOST = 'https://host.example'
const VERTEX = '/v1/projects/p/locations/l/publishers'

function target(path: string, other?: string, own?: string): string {
  const url = `${HOST}${path}`
  return summaryUrl(url, routeOf('POST', url, {}) as ModelRoute, { other, own }).slice(HOST.length)
}

describe('a summary is asked for', () => {
  it.each([
    ['/v1/messages?beta=true', '/v1/messages?beta=true'],
    ['/gateway/v1/messages/count_tokens', '/gateway/v1/messages'],
    [`${VERTEX}/anthropic/models/claude@1:streamRawPredict`, `${VERTEX}/anthropic/models/claude@1:rawPredict`],
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/openai/deployments/d/chat/completions?api-version=1', '/openai/deployments/d/chat/completions?api-version=1'],
    ['/v1/responses', '/v1/responses'],
    ['/v1/responses/compact', '/v1/responses'],
    ['/v1/responses/input_tokens', '/v1/responses'],
    ['/backend-api/codex/responses/compact', '/backend-api/codex/responses'],
    [
      '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse&key=k',
      '/v1beta/models/gemini-3-pro:generateContent?key=k',
    ],
    ['/v1beta/tunedModels/mine:countTokens', '/v1beta/tunedModels/mine:generateContent'],
    ['/v1internal:streamGenerateContent?alt=sse', '/v1internal:generateContent'],
    ['/model/amazon.nova-pro-v1%3A0/converse-stream', '/model/amazon.nova-pro-v1%3A0/converse'],
    ['/model/amazon.nova-pro-v1%3A0/count-tokens', '/model/amazon.nova-pro-v1%3A0/converse'],
  ])('from %s at %s', (from, to) => {
    expect(target(from)).toBe(to)
  })

  it.each([
    [`${VERTEX}/anthropic/models/claude@1:rawPredict`, `${VERTEX}/anthropic/models/small:rawPredict`],
    ['/openai/deployments/d/chat/completions', '/openai/deployments/small/chat/completions'],
    ['/v1beta/models/gemini-3-pro:generateContent', '/v1beta/models/small:generateContent'],
    ['/model/amazon.nova-pro-v1%3A0/converse', '/model/small/converse'],
  ])('of another model, where the path names it: %s', (from, to) => {
    expect(target(from, 'small')).toBe(to)
  })

  it('of the model in the body of a count on Vertex AI', () => {
    const count = `${VERTEX}/anthropic/models/count-tokens:rawPredict`
    expect(target(count, undefined, 'claude')).toBe(`${VERTEX}/anthropic/models/claude:rawPredict`)
  })
})

it('headers say who calls, and nothing about the caller’s own request', () => {
  const headers = summaryHeaders(
    new Headers({
      authorization: 'Bearer k',
      'anthropic-beta': 'claude-code-20250219,oauth-2025-04-20, fine-grained-tool-streaming-2025-05-14',
      'anthropic-version': '2023-06-01',
      'openai-beta': 'responses=experimental',
      'idempotency-key': 'once',
      'x-codex-turn-state': 'state',
      'x-stainless-helper-method': 'stream',
      accept: 'text/event-stream',
    }),
    'application/json',
  )
  expect(Object.fromEntries(headers)).toEqual({
    authorization: 'Bearer k',
    'anthropic-beta': 'claude-code-20250219,oauth-2025-04-20',
    'anthropic-version': '2023-06-01',
    'openai-beta': 'responses=experimental',
    accept: 'application/json',
    'content-type': 'application/json',
  })
})
