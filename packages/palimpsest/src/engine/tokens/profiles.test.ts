import { describe, expect, it } from 'vitest'
import { PalimpsestError } from '../errors.ts'
import { parseProfileOverrides } from './profile-overrides.ts'
import { resolveProfile } from './profiles.ts'

describe('A5 the table of models', () => {
  it.each([
    ['claude-2.0', 100_000],
    ['claude-2.1', 200_000],
    ['anthropic.claude-v2:1', 200_000],
    ['claude-3-5-sonnet-20241022', 200_000],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 200_000],
    ['claude-sonnet-4-5[1m]', 1_000_000],
    ['anthropic/claude-sonnet-4.5', 200_000],
    ['claude-haiku-4-5-20251001', 200_000],
    ['claude-opus-4-6', 1_000_000],
    ['claude-fable-5-1', 1_000_000],
    ['claude-haiku-5-5', 1_000_000],
    ['claude', 200_000],
    ['gpt-5.1-codex', 272_000],
    ['openai/gpt-5.6-sol', 372_000],
    ['gpt-5.3-codex-spark', 128_000],
    ['gpt-4.1-mini', 1_047_576],
    ['gpt-4o-2024-08-06', 128_000],
    ['gpt-4-turbo', 128_000],
    ['gpt-4-0613', 8_192],
    ['gpt-3.5-turbo', 16_385],
    ['openai.gpt-oss-120b-1:0', 131_072],
    ['o3', 200_000],
    ['o4-mini', 200_000],
    ['o1-mini', 128_000],
    ['models/gemini-2.5-pro', 1_048_576],
    ['gemini-3-pro-preview', 1_048_576],
    ['gemma3:27b', 131_072],
    ['deepseek-chat', 128_000],
    ['deepseek-v4-pro', 1_000_000],
    ['qwen3-coder', 262_144],
    ['qwen2.5-coder:32b', 131_072],
    ['llama-3.3-70b-versatile', 131_072],
    ['meta.llama3-70b-instruct-v1:0', 8_192],
    ['us.meta.llama3-3-70b-instruct-v1:0', 131_072],
    ['accounts/fireworks/models/llama-v3p1-70b-instruct', 131_072],
    ['kimi-k2-0905-preview', 262_144],
    ['moonshotai/kimi-k2', 131_072],
    ['glm-4.6', 200_000],
    ['z-ai/glm-4.5', 128_000],
    ['minimax-m2', 204_800],
    ['mistral-large-latest', 128_000],
    ['grok-4', 256_000],
    ['grok-4-fast-reasoning', 1_000_000],
    ['grok-3', 131_072],
    ['amazon.nova-pro-v1:0', 300_000],
  ])('%s takes %d tokens', (model, window) => {
    const profile = resolveProfile(model)
    expect(profile).toMatchObject({ known: true, window })
    expect(profile.maxOutput).toBeGreaterThan(0)
    expect(profile.maxOutput).toBeLessThanOrEqual(window)
  })

  it('A5 an unknown model has no window and is not known', () => {
    for (const model of ['house-model-7', '', undefined]) {
      const profile = resolveProfile(model)
      expect(profile).toMatchObject({ known: false, caching: false, family: 'generic', thinkingBinding: 'none' })
      expect(profile.window).toBeUndefined()
    }
  })

  it.each([
    ['claude-opus-4-1-20250805', 15, 75, 1.5, 18.75],
    ['claude-opus-4-5', 5, 25, 0.5, 6.25],
    ['claude-opus-5-5', 4, 20, 0.2, 5],
    ['claude-sonnet-4-5-20250929', 3, 15, 0.3, 3.75],
    ['claude-sonnet-5', 2, 10, 0.2, 2.5],
    ['claude-3-5-haiku-20241022', 0.8, 4, 0.08, 1],
    ['claude-fable-5-1', 10, 50, 1, 12.5],
  ])('%s costs what its page says', (model, input, output, cacheRead, cacheWrite) => {
    const { prices, caching } = resolveProfile(model)
    expect(caching).toBe(true)
    for (const [name, price] of Object.entries({ input, output, cacheRead, cacheWrite })) {
      expect(prices?.[name as keyof typeof prices], name).toBeCloseTo(price, 10)
    }
  })

  it.each([
    ['claude-sonnet-4-5', 'turn'],
    ['claude-opus-5', 'turn'],
    ['claude-fable-5', 'turn'],
    ['claude-fable-5-1', 'prefix'],
    ['claude-opus-5-5', 'prefix'],
    ['anthropic/claude-sonnet-5.5', 'prefix'],
    ['us.anthropic.claude-opus-5-5-v1:0', 'prefix'],
    ['claude-opus-6', 'prefix'],
    ['claude-haiku-5-5', 'turn'],
    ['claude-latest', 'turn'],
    ['gpt-5', 'none'],
  ])('thinking of %s is bound to: %s', (model, binding) => {
    expect(resolveProfile(model).thinkingBinding).toBe(binding)
  })

  it('models with strict chat templates alternate', () => {
    expect(resolveProfile('gemma-3-27b-it').strictAlternation).toBe(true)
    expect(resolveProfile('mistral-small').strictAlternation).toBe(true)
    expect(resolveProfile('gpt-4o').strictAlternation).toBe(false)
  })
})

describe("A5 the user's own profiles", () => {
  it('TC-25 a setting of the user beats the catalogue', () => {
    const own = parseProfileOverrides('{"gpt-4.1": {"max_input_tokens": 32000}}')
    expect(resolveProfile('gpt-4.1', own)).toMatchObject({ window: 32_000, maxOutput: 32_768, family: 'o200k' })
    expect(resolveProfile('openai/gpt-4.1', own).window).toBe(32_000)
    expect(resolveProfile('GPT-4.1', own).window).toBe(32_000)
    expect(resolveProfile('gpt-4.1-2025-04-14', own).window).toBe(32_000)
    expect(resolveProfile('gpt-4.1-mini', own).window).toBe(1_047_576)
  })

  it('the more specific name wins', () => {
    const own = parseProfileOverrides(
      '{"claude-opus-4-1": {"window": 1000}, "claude-opus-4-1-20250805": {"window": 2000}, "bedrock/claude-opus-4-1": {"window": 3000}}',
    )
    expect(resolveProfile('claude-opus-4-1-20250805', own).window).toBe(2000)
    expect(resolveProfile('claude-opus-4-1-20250701', own).window).toBe(1000)
    expect(resolveProfile('bedrock/claude-opus-4-1', own).window).toBe(3000)
  })

  it('names are in snake_case or camelCase, and every field is taken', () => {
    const fields = {
      max_input_tokens: 60_000,
      maxOutputTokens: 4_000,
      caching: true,
      strictAlternation: true,
      trigger_frac: 0.7,
      keepFrac: 0.2,
      summarizer_model: 'small',
      thinkingBinding: 'turn',
      family: 'qwen3',
      prices: { input: 1, output: 2, cache_read: 0.1 },
    }
    expect(resolveProfile('house-model-7', parseProfileOverrides(JSON.stringify({ 'house-model-7': fields })))).toEqual(
      {
        known: true,
        window: 60_000,
        maxOutput: 4_000,
        caching: true,
        strictAlternation: true,
        triggerFrac: 0.7,
        keepFrac: 0.2,
        summarizerModel: 'small',
        thinkingBinding: 'turn',
        family: 'qwen3',
        prices: { input: 1, output: 2, cacheRead: 0.1 },
      },
    )
  })

  it.each([
    ['{', /not JSON/],
    ['[]', /the value must be an object/],
    ['{"m": 3}', /m must be an object/],
    ['{"m": {"max_input_tokens": "32000"}}', /m\.max_input_tokens must be a whole number above 0/],
    ['{"m": {"max_input_tokens": 0}}', /m\.max_input_tokens/],
    ['{"m": {"maxInputTokens": 1.5}}', /m\.maxInputTokens/],
    ['{"m": {"triggerFrac": 1.2}}', /m\.triggerFrac must be a number above 0, at most 1/],
    ['{"m": {"windwo": 5}}', /m\.windwo is not known; known are max_input_tokens/],
    ['{"m": {"constructor": 5}}', /m\.constructor is not known/],
    ['{"m": {"family": "gpt"}}', /m\.family must be one of/],
    ['{"m": {"prices": {"input": 1}}}', /m\.prices/],
    ['{"m": {"window": 5, "max_input_tokens": 6}}', /m says window twice/],
  ])('%s is refused', (json, message) => {
    expect(() => parseProfileOverrides(json)).toThrow(PalimpsestError)
    expect(() => parseProfileOverrides(json)).toThrow(message)
  })
})

it.each([
  ['anthropic:claude-sonnet-4-5', 'claude-sonnet-4-5'],
  ['openai-chat:openai/gpt-5', 'gpt-5'],
  ['google:gemini-2.5-pro', 'gemini-2.5-pro'],
])('%s has the profile of %s', (named, id) => {
  expect(resolveProfile(named)).toEqual(resolveProfile(id))
  expect(resolveProfile(named).known).toBe(true)
  expect(resolveProfile(named, { [id]: { window: 12_345 } }).window).toBe(12_345)
})
