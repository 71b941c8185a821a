import { routeOf } from 'palimpsest/wire'
import { describe, expect, test } from 'vitest'
import { Upstreams } from './upstreams.ts'

function urlOf(
  words: readonly string[],
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
) {
  const upstreams = new Upstreams(words, { AWS_REGION: 'eu-west-1' })
  return upstreams.urlOf({ route: routeOf(method, target, headers), target, headers: new Headers(headers) })
}

const NAMES = ['anthropic', 'openai', 'codex', 'google', 'bedrock']

describe('a request goes to the provider whose API it calls', () => {
  test.each([
    ['/v1/messages?beta=true', {}, 'https://api.anthropic.com/v1/messages?beta=true'],
    ['/v1/files', { 'anthropic-version': '2023-06-01' }, 'https://api.anthropic.com/v1/files'],
    ['/v1/chat/completions', {}, 'https://api.openai.com/v1/chat/completions'],
    ['/v1/embeddings', {}, 'https://api.openai.com/v1/embeddings'],
    ['/backend-api/codex/responses', {}, 'https://chatgpt.com/backend-api/codex/responses'],
    ['/backend-api/wham/usage', {}, 'https://chatgpt.com/backend-api/wham/usage'],
    [
      '/v1beta/models/m:generateContent?key=k',
      {},
      'https://generativelanguage.googleapis.com/v1beta/models/m:generateContent?key=k',
    ],
    ['/v1beta/cachedContents', {}, 'https://generativelanguage.googleapis.com/v1beta/cachedContents'],
    ['/model/m/converse', {}, 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse'],
    ['/model/m/invoke', {}, 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/invoke'],
  ])('%s %j', (target, headers, expected) => {
    expect(urlOf(NAMES, target, headers)).toBe(expected)
  })

  test('one URL answers for everything, and for the rest beside names', () => {
    expect(urlOf(['http://gateway:1/'], '/v1/messages')).toBe('http://gateway:1/v1/messages')
    expect(urlOf(['anthropic', 'http://gateway:1'], '/v1/messages')).toBe('https://api.anthropic.com/v1/messages')
    expect(urlOf(['anthropic', 'http://gateway:1'], '/v1/responses')).toBe('http://gateway:1/v1/responses')
  })

  test('undefined where nobody is named for it', () => {
    expect(urlOf(['anthropic'], '/v1/responses')).toBeUndefined()
  })
})

describe('paths', () => {
  test.each([
    ['https://a.example/api/v1', '/v1/chat/completions', 'https://a.example/api/v1/chat/completions'],
    ['https://a.example/api/v1/', '/v1/chat/completions', 'https://a.example/api/v1/chat/completions'],
    ['https://a.example/api', '/v1/chat/completions', 'https://a.example/api/v1/chat/completions'],
    ['https://a.example/v1', '/chat/completions', 'https://a.example/v1/chat/completions'],
    ['https://a.example/v1', '/v1beta/models/m:countTokens', 'https://a.example/v1/v1beta/models/m:countTokens'],
    ['https://a.example', '/model/arn%3Aaws%2Fx/converse', 'https://a.example/model/arn%3Aaws%2Fx/converse'],
  ])('%s with %s', (base, target, expected) => {
    expect(urlOf([base], target)).toBe(expected)
  })
})

describe('words that name no upstream', () => {
  test.each([
    [[], 'No upstream is given.'],
    [['anthropics'], '"anthropics" names no upstream that is known.'],
    [['ftp://a.example'], '"ftp://a.example" is no URL of an upstream.'],
    [['openai=nowhere'], '"nowhere" is no URL of an upstream.'],
    [['https://a.example?key=1'], 'The URL of an upstream has a query or a fragment.'],
    [['https://a.example', 'https://b.example'], 'More than one upstream has no name.'],
  ])('%j', (words, message) => {
    expect(() => new Upstreams(words, {})).toThrow(message)
  })

  test('bedrock wants a region', () => {
    expect(() => new Upstreams(['bedrock'], {})).toThrow('one URL for each region')
  })

  test('passwords are not shown', () => {
    expect(new Upstreams(['https://me:secret@a.example']).shown.join()).not.toContain('secret')
    expect(() => new Upstreams(['ftp://me:secret@a.example'])).toThrow(/^(?!.*secret)/)
  })
})
