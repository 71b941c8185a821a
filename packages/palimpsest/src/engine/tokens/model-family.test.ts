import { describe, expect, it } from 'vitest'
import type { TokenFamily } from './feature-weights.ts'
import { claudeVersion, modelFamily } from './model-family.ts'

const NAMES: Readonly<Record<TokenFamily, readonly string[]>> = {
  claude2: [
    'claude-2.1',
    'claude-2.0',
    'claude-instant-1.2',
    'anthropic.claude-v2:1',
    'anthropic.claude-instant-v1',
    'claude-1.3',
  ],
  claude3: [
    'claude-3-opus-20240229',
    'claude-3-5-haiku-latest',
    'claude-3-7-sonnet-20250219',
    'claude-3.5-sonnet',
    'anthropic/claude-3.7-sonnet:thinking',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
    'claude-sonnet-4-20250514',
    'claude-opus-4-0',
    'claude-opus-4-1-20250805',
    'claude-sonnet-4-5@20250929',
    'anthropic/claude-sonnet-4.5',
    'claude-haiku-4-5-20251001',
    'claude-opus-4-6',
    'claude-sonnet-4-6[1m]',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0',
    'publishers/anthropic/models/claude-opus-4-5',
    'openrouter/anthropic/claude-opus-4.6',
    'Claude Sonnet 4.5',
    'claude-4-sonnet',
    'sonnet-4.5',
  ],
  claude47: [
    'claude-opus-4-7',
    'claude-opus-4.8',
    'anthropic.claude-opus-4-7-v1:0',
    'claude-sonnet-5',
    'claude-sonnet-5-5',
    'claude-fable-5-1',
    'claude-haiku-5-5-20261001',
    'claude-opus-10',
    'claude-latest',
    'claude-of-tomorrow',
    'anthropic/claude',
    'opus',
  ],
  o200k: [
    'gpt-4o',
    'gpt-4o-mini-2024-07-18',
    'chatgpt-4o-latest',
    'gpt-4.1-mini',
    'gpt-4.5-preview',
    'gpt-5',
    'gpt-5.1-codex',
    'openai/gpt-5.2-codex',
    'gpt-6.1-terra',
    'o1-preview',
    'o3',
    'o4-mini-2025-04-16',
    'openai/o3-pro',
    'codex-mini-latest',
    'gpt-oss-120b',
    'openai.gpt-oss-20b-1:0',
    'azure/gpt-4o',
    'ft:gpt-4o-mini-2024-07-18:acme:gpt-35-like:abc',
    'computer-use-preview',
  ],
  cl100k: [
    'gpt-4',
    'gpt-4-0613',
    'gpt-4-turbo-2024-04-09',
    'gpt-4-1106-preview',
    'gpt-4-32k',
    'gpt-3.5-turbo-0125',
    'gpt-35-turbo',
    'ft:gpt-3.5-turbo-0125:acme::xyz',
    'text-embedding-3-small',
  ],
  gemma3: [
    'gemini-2.5-pro',
    'models/gemini-2.0-flash',
    'google/gemini-3-pro-preview',
    'vertex_ai/gemini-2.5-flash-lite',
    'gemini-flash-latest',
    'gemma-3-27b-it',
    'gemma3:4b',
  ],
  qwen3: [
    'qwen3-coder',
    'qwen/qwen3-coder-480b-a35b-instruct',
    'Qwen/Qwen3-235B-A22B',
    'qwen-max',
    'qwen3.5-plus',
    'qwq-32b',
    'qwen2.5-coder:32b',
    'deepseek-r1-distill-qwen-32b',
  ],
  llama3: [
    'llama-3.3-70b-versatile',
    'meta-llama/Llama-3.1-405B-Instruct',
    'llama3.2:3b',
    'meta.llama3-70b-instruct-v1:0',
    'us.meta.llama3-3-70b-instruct-v1:0',
    '@cf/meta/llama-3.1-8b-instruct',
    'accounts/fireworks/models/llama-v3p1-70b-instruct',
    'deepseek-r1-distill-llama-70b',
  ],
  deepseek_v3: [
    'deepseek-chat',
    'deepseek-reasoner',
    'deepseek/deepseek-r1-0528',
    'deepseek-ai/DeepSeek-V3.1',
    'accounts/fireworks/models/deepseek-v3p1',
    'deepseek-v3.2-exp',
  ],
  generic: [
    '',
    'mistral-large-latest',
    'grok-4',
    'kimi-k2',
    'glm-4.6',
    'llama-2-70b-chat',
    'llama-4-maverick',
    'gemini-1.5-pro',
    'command-r-plus',
    'amazon.nova-pro-v1:0',
    'foo3-large',
    'demo-o3x',
    'deepseek-coder-33b',
    'my-model',
  ],
}

describe('the family of a model id', () => {
  it.each(Object.entries(NAMES).flatMap(([family, ids]) => ids.map((id) => [id, family])))('%s is %s', (id, family) => {
    expect(modelFamily(id)).toBe(family)
    expect(modelFamily(id?.toUpperCase())).toBe(family)
  })

  it('is generic without an id', () => {
    expect(modelFamily(undefined)).toBe('generic')
  })
})

it.each([
  ['claude-3-5-sonnet-20241022', 3.5],
  ['claude-sonnet-4-20250514', 4],
  ['claude-opus-4-1-20250805', 4.1],
  ['claude-fable-5.1', 5.1],
  ['claude-opus-10-2', 10.2],
  ['anthropic.claude-v2:1', 2.1],
  ['claude-latest', undefined],
])('the version of %s is %s', (id, version) => {
  expect(claudeVersion(id)).toBe(version)
})
