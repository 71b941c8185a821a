import Anthropic from '@anthropic-ai/sdk'
import { ValidationException } from '@aws-sdk/client-bedrock-runtime'
import { describe, expect, test } from 'vitest'
import { anthropicError, anthropicRefusal, groqBucket, NEAR, openaiError } from './overflow.test-data.ts'
import { overflowFacts } from './overflow.ts'

describe('BB-09 never overflow, whatever else the text says', () => {
  test.each<[string, unknown]>([
    ['rate limit', openaiError(429, { error: { message: 'Rate limit reached for gpt-4o on tokens per min (TPM)' } })],
    [
      '429 that speaks of the prompt',
      openaiError(429, { error: { message: 'prompt is too long: 9 tokens > 5 maximum' } }),
    ],
    ['a bucket that the request fits into', openaiError(429, groqBucket(6_000, 5_000))],
    [
      'a bucket for output tokens',
      openaiError(413, {
        error: {
          message:
            'Request too large for model `q` on output tokens per minute (OTPM): Limit 1000, Requested 1295. reduce max_tokens',
          code: 'rate_limit_exceeded',
        },
      }),
    ],
    [
      'Bedrock throttling',
      { name: 'ThrottlingException', message: 'Too many tokens, please wait before trying again.' },
    ],
    ['the same as a stream frame', { throttlingException: { message: 'Too many tokens, please wait' } }],
    ['the same without a name', new Error('Too many tokens, please wait before trying again.')],
    ['overloaded', anthropicError(529, anthropicRefusal('overloaded_error', 'Overloaded'))],
    [
      'overloaded inside a stream',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ],
    ['authentication', anthropicError(401, anthropicRefusal('authentication_error', 'invalid x-api-key'))],
    ['forbidden', openaiError(403, { error: { message: 'context length exceeded' } })],
    [
      'OpenAI output cap',
      openaiError(400, {
        error: {
          message:
            'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
        },
      }),
    ],
    [
      'Anthropic output cap',
      anthropicError(
        400,
        anthropicRefusal(
          'invalid_request_error',
          'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
        ),
      ),
    ],
    [
      'Bedrock output cap',
      new ValidationException({
        message:
          'The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.',
        $metadata: { httpStatusCode: 400 },
      }),
    ],
    [
      'Gemini output cap',
      {
        status: 400,
        message:
          'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
      },
    ],
    [
      'Groq output cap',
      openaiError(400, {
        error: {
          message:
            '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
        },
      }),
    ],
    [
      'DeepSeek output cap',
      openaiError(400, { error: { message: 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]' } }),
    ],
    ['Qwen output cap', openaiError(400, { error: { message: 'Range of max_tokens should be [1, 8192]' } })],
    [
      'image dimensions',
      anthropicError(
        400,
        anthropicRefusal(
          'invalid_request_error',
          'messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
        ),
      ),
    ],
    [
      'image bytes',
      anthropicError(
        400,
        anthropicRefusal(
          'invalid_request_error',
          'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
        ),
      ),
    ],
    [
      'quota',
      openaiError(429, {
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          code: 'insufficient_quota',
        },
      }),
    ],
    [
      'Gemini quota',
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000',
        },
      },
    ],
    [
      'billing',
      openaiError(402, {
        error: {
          message:
            'This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1204.',
        },
      }),
    ],
    [
      'credit balance',
      anthropicError(
        400,
        anthropicRefusal('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      ),
    ],
    ['an abort', new DOMException('This operation was aborted', 'AbortError')],
    [
      'a broken connection',
      new Anthropic.APIConnectionError({ message: 'Connection error.', cause: new Error('ECONNRESET') }),
    ],
  ])('%s', (_, failure) => {
    expect(overflowFacts(failure, NEAR)).toBeUndefined()
  })
})
