import { describe, expect, test } from 'vitest'
import { parseModelName } from './model-name.ts'

const PROVIDERS = [
  { name: 'anthropic', example: 'claude-sonnet-5-5' },
  { name: 'openai', example: 'gpt-5.5' },
  { name: 'openai-chat', example: 'gpt-oss:20b' },
  { name: 'google', example: 'gemini-2.5-pro' },
  { name: 'bedrock', example: 'us.anthropic.claude-sonnet-5-5' },
  { name: 'wirelab', example: 'demo' },
]

describe('F1 the name of a model', () => {
  test.each([
    ['anthropic:claude-sonnet-5', 'anthropic', 'claude-sonnet-5'],
    ['openai-chat:qwen3:30b', 'openai-chat', 'qwen3:30b'],
    ['openai-chat:anthropic/claude-sonnet-5:beta', 'openai-chat', 'anthropic/claude-sonnet-5:beta'],
    [
      'bedrock:arn:aws:bedrock:us-east-1:1:inference-profile/x',
      'bedrock',
      'arn:aws:bedrock:us-east-1:1:inference-profile/x',
    ],
    ['wirelab:demo', 'wirelab', 'demo'],
    [' openai:gpt-5 ', 'openai', 'gpt-5'],
  ])('%s has a provider in front', (name, provider, id) => {
    expect(parseModelName(name, PROVIDERS)).toEqual({ provider, id })
  })

  test.each([
    ['claude-sonnet-5', 'anthropic'],
    ['gpt-5.3-codex', 'openai'],
    ['o4-mini', 'openai'],
    ['gemini-2.5-pro', 'google'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'bedrock'],
    ['amazon.nova-pro-v1:0', 'bedrock'],
  ])('%s needs none: %s', (id, provider) => {
    expect(parseModelName(id, PROVIDERS)).toEqual({ provider, id })
  })

  test.each(['gpt-oss:20b', 'gpt-4.1:x', 'llama3', 'anthropic/claude-sonnet-5', 'foo:bar', 'constructor:x', '', ':x'])(
    '"%s" is of no provider: an example of each is named',
    (name) => {
      expect(() => parseModelName(name, PROVIDERS)).toThrow(
        expect.objectContaining({
          code: 'invalid-input',
          hint: expect.stringMatching(
            /anthropic:claude-sonnet-5-5, openai:gpt-5\.5, openai-chat:gpt-oss:20b, .*wirelab:demo\.$/,
          ),
        }),
      )
    },
  )

  test('without a model behind the colon is half a name', () => {
    expect(() => parseModelName('openai:', PROVIDERS)).toThrow('After "openai:" a model is missing.')
  })
})
