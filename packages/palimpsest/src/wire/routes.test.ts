import { describe, expect, it } from 'vitest'
import { type Route, routeOf } from './routes.ts'

const generate = (dialect: string, rest: object = {}): object => ({ kind: 'generate', dialect, ...rest })
const count = (dialect: string, rest: object = {}): object => ({ kind: 'count', dialect, ...rest })
const compact = (dialect: string): object => ({ kind: 'compact', dialect })
const other: Route = { kind: 'other' }

const VERTEX = '/v1/projects/p/locations/europe-west1/publishers'
const ARN = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4'

describe('a POST to', () => {
  it.each([
    ['/v1/messages', generate('anthropic-messages')],
    ['/v1/messages?beta=true', generate('anthropic-messages')],
    ['https://api.anthropic.com/v1/messages', generate('anthropic-messages')],
    ['/anthropic/v1/messages', generate('anthropic-messages')],
    ['/anthropic/messages', generate('anthropic-messages')],
    ['//v1//messages/', generate('anthropic-messages')],
    ['/v1/messages/count_tokens', count('anthropic-messages')],
    [
      `${VERTEX}/anthropic/models/claude-sonnet-4@20250514:rawPredict`,
      generate('anthropic-messages', { model: 'claude-sonnet-4@20250514', stream: false }),
    ],
    [
      `${VERTEX}/anthropic/models/claude-sonnet-4@20250514:streamRawPredict`,
      generate('anthropic-messages', { model: 'claude-sonnet-4@20250514', stream: true }),
    ],
    [`${VERTEX}/anthropic/models/count-tokens:rawPredict`, count('anthropic-messages')],
    ['/v1/chat/completions', generate('openai-chat')],
    ['/api/v1/chat/completions', generate('openai-chat')],
    ['/chat/completions', generate('openai-chat')],
    ['/v1beta/openai/chat/completions', generate('openai-chat')],
    [
      '/openai/deployments/my%2Dgpt/chat/completions?api-version=2025-04-01-preview',
      generate('openai-chat', { model: 'my-gpt' }),
    ],
    ['/v1/responses', generate('openai-responses')],
    ['/openai/responses?api-version=2025-04-01-preview', generate('openai-responses')],
    ['/v1/responses/compact', compact('openai-responses')],
    ['/v1/responses/input_tokens', count('openai-responses')],
    ['https://chatgpt.com/backend-api/codex/responses', generate('openai-codex')],
    ['/backend-api/codex/responses/compact', compact('openai-codex')],
    ['/v1beta/models/gemini-3-pro:generateContent', generate('gemini', { model: 'gemini-3-pro', stream: false })],
    [
      '/v1beta/models/gemini-3-pro%3AstreamGenerateContent?alt=sse&key=x',
      generate('gemini', { model: 'gemini-3-pro', stream: true }),
    ],
    ['/v1beta/models/gemini-3-pro:countTokens', count('gemini', { model: 'gemini-3-pro' })],
    ['/v1beta/tunedModels/mine:generateContent', generate('gemini', { model: 'mine', stream: false })],
    [
      `${VERTEX}/google/models/gemini-3-pro:streamGenerateContent`,
      generate('gemini', { model: 'gemini-3-pro', stream: true }),
    ],
    ['/v1internal:streamGenerateContent?alt=sse', generate('gemini', { stream: true })],
    ['/v1internal:countTokens', count('gemini')],
    [
      '/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse',
      generate('bedrock-converse', { model: 'anthropic.claude-3-5-sonnet-20241022-v2:0', stream: false }),
    ],
    [`/model/${encodeURIComponent(ARN)}/converse-stream`, generate('bedrock-converse', { model: ARN, stream: true })],
    [`/model/${ARN}/converse-stream`, generate('bedrock-converse', { model: ARN, stream: true })],
    ['/model/amazon.nova-pro-v1:0/count-tokens', count('bedrock-converse', { model: 'amazon.nova-pro-v1:0' })],
    ['/model/broken%zz/converse', generate('bedrock-converse', { model: 'broken%zz', stream: false })],
    ['/model/anthropic.claude-v2/invoke', other],
    ['/model/anthropic.claude-v2/invoke-with-response-stream', other],
    ['/v1/messages/batches', other],
    ['/v1/threads/thread_1/messages', other],
    ['/v1/completions', other],
    ['/v1/embeddings', other],
    ['/v1/responses/resp_1/cancel', other],
    ['/v1beta/models/gemini-3-pro:embedContent', other],
    ['/v1beta/models/gemini-3-pro:batchGenerateContent', other],
    ['/v1/models?then=/v1/messages', other],
    ['/v1/files#/v1/messages', other],
    ['https://example.com?/v1/messages', other],
    ['', other],
    ['http://', other],
  ])('%s', (url, route) => {
    expect(routeOf('POST', url, {})).toEqual(route)
    expect(routeOf('post', url, new Headers({ accept: '*/*' }))).toEqual(route)
  })
})

describe('any other method', () => {
  it.each(['GET', 'DELETE', 'OPTIONS', 'HEAD'])('%s asks for no answer of a model', (method) => {
    expect(routeOf(method, '/v1/messages', {})).toEqual(other)
    expect(routeOf(method, '/v1/chat/completions', {})).toEqual(other)
  })

  it('but the upgrade to a WebSocket is one, wherever it goes', () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'WebSocket' }
    expect(routeOf('GET', '/v1/responses', upgrade)).toEqual({ kind: 'websocket' })
    expect(routeOf('GET', '/', new Headers(upgrade))).toEqual({ kind: 'websocket' })
    expect(routeOf('POST', '/v1/responses', { upgrade: 'h2c' })).toEqual(generate('openai-responses'))
  })
})
