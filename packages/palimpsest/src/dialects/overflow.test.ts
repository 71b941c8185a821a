import { ValidationException } from '@aws-sdk/client-bedrock-runtime'
import { ApiError } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  anthropicError,
  anthropicRefusal,
  CONTEXT,
  groqBucket,
  kindAndNumbers,
  NEAR,
  openaiError,
} from './overflow.test-data.ts'
import { overflowFacts } from './overflow.ts'

describe('each row of the table', () => {
  test('Anthropic: prompt is too long', () => {
    const message = 'prompt is too long: 212004 tokens > 200000 maximum'
    const failure = anthropicError(400, anthropicRefusal('invalid_request_error', message))
    expect(overflowFacts(failure, CONTEXT)).toEqual({ kind: 'tokens', limit: 200_000, size: 212_004, detail: message })
  })

  test('BB-11 Anthropic: input and max_tokens exceed the limit, and the input alone fits', () => {
    const message = 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length'
    const failure = anthropicError(400, anthropicRefusal('invalid_request_error', message))
    expect(kindAndNumbers(failure)).toEqual({ kind: 'output', limit: 200_000, size: 188_240 })
  })

  test('Anthropic: the same wording, but the input alone is too large', () => {
    const message = 'input length and `max_tokens` exceed context limit: 203000 + 4096 > 200000'
    const failure = anthropicError(400, anthropicRefusal('invalid_request_error', message))
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens', limit: 200_000, size: 203_000 })
  })

  test('Anthropic: 413 request_too_large is about bytes', () => {
    const failure = anthropicError(413, anthropicRefusal('request_too_large', 'Request exceeds the maximum size'))
    expect(kindAndNumbers(failure)).toEqual({ kind: 'bytes' })
  })

  test('Gemini: payload too large tells its limit in bytes', () => {
    const message = 'Request payload size exceeds the limit: 20971520 bytes.'
    const body = { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }
    const failure = new ApiError({ status: 400, message: JSON.stringify(body) })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'bytes', limit: 20_971_520 })
  })

  test('bytes: units are read', () => {
    const body =
      '<html><head><title>413</title></head><body>Request exceeds the maximum allowed size of 32 MB</body></html>'
    expect(kindAndNumbers({ status: 413, body })).toEqual({ kind: 'bytes', limit: 32 * 1024 * 1024 })
    const kimi = openaiError(400, { error: { message: 'total message size 2306631 exceeds limit 2097152' } })
    expect(kindAndNumbers(kimi)).toEqual({ kind: 'bytes', limit: 2_097_152 })
  })

  test('OpenAI Chat: context_length_exceeded', () => {
    const failure = openaiError(400, {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 140512 tokens " +
          '(138001 in the messages, 2511 in the functions). Please reduce the length of the messages or functions.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens', limit: 128_000, size: 140_512 })
  })

  test('OpenAI Chat: messages and completion together', () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens " +
      '(4500 in the messages, 500 in the functions, and 4000 in the completion).'.replace('and ', '')
    const failure = openaiError(400, { error: { message, code: 'context_length_exceeded' } })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'output', limit: 8_192, size: 5_000 })
  })

  test('OpenAI: configured limit of input tokens', () => {
    const message =
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. ' +
      'Please reduce the length of the messages.'
    expect(kindAndNumbers(openaiError(400, { error: { message } }))).toEqual({
      kind: 'tokens',
      limit: 272_000,
      size: 509_178,
    })
  })

  test.each([
    ['the error body', openaiError(400, responsesBody())],
    ['a response.failed event', { type: 'response.failed', response: { status: 'failed', ...responsesBody() } }],
    ['an error event', { type: 'error', sequence_number: 2, ...responsesBody().error }],
    [
      'an error event as the SDK raises it',
      new OpenAI.APIError(undefined, responsesBody().error, undefined, undefined),
    ],
    ['stream text', `event: response.failed\ndata: ${JSON.stringify({ response: responsesBody() })}\n\n`],
  ])('OpenAI Responses and Codex: %s', (_, failure) => {
    expect(overflowFacts(failure, CONTEXT)).toEqual({
      kind: 'tokens',
      detail: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    })
  })

  test('Groq: one request asks for more than the rate bucket holds', () => {
    const failure = openaiError(413, groqBucket(6_000, 18_339))
    expect(kindAndNumbers(failure)).toEqual({ kind: 'rate-bucket', limit: 6_000, size: 18_339 })
  })

  test('OpenAI: the same with status 429', () => {
    const message =
      'Request too large for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Requested 57312. ' +
      'The input or output tokens must be reduced in order to run successfully.'
    const failure = openaiError(429, { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'rate-bucket', limit: 30_000, size: 57_312 })
  })

  test('Gemini: the error message of the SDK is JSON', () => {
    const message = 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).'
    const body = { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }
    const failure = new ApiError({ status: 400, message: JSON.stringify(body) })
    expect(overflowFacts(failure, CONTEXT)).toEqual({
      kind: 'tokens',
      limit: 1_048_576,
      size: 1_196_265,
      detail: message,
    })
  })

  test.each([
    ['The input token count exceeds the maximum number of tokens allowed 1048576.', { limit: 1_048_576 }],
    [
      'Unable to submit request because the input token count is 1500000 but model only supports up to 1048576.',
      { limit: 1_048_576, size: 1_500_000 },
    ],
  ])('Vertex: %s', (message, numbers) => {
    const failure = [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens', ...numbers })
  })

  test.each([
    ['Input is too long for requested model.', {}],
    ['prompt is too long: 208310 tokens > 200000 maximum', { limit: 200_000, size: 208_310 }],
    ['The model returned the following errors: too many total text bytes: 9000100 > 9000000', {}],
  ])('Bedrock: %s', (message, numbers) => {
    const failure = new ValidationException({ message, $metadata: { httpStatusCode: 400 } })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens', ...numbers })
    const frame = { validationException: new ValidationException({ message, $metadata: {} }) }
    expect(kindAndNumbers(frame)).toEqual({ kind: 'tokens', ...numbers })
    const raw = {
      ':message-type': 'exception',
      ':exception-type': 'validationException',
      body: JSON.stringify({ message }),
    }
    expect(kindAndNumbers(raw)).toEqual({ kind: 'tokens', ...numbers })
  })

  test.each<[string, string, object]>([
    [
      'xAI',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      { limit: 131_072, size: 537_812 },
    ],
    ['Groq', 'Please reduce the length of the messages or completion.', {}],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 200000 tokens. However, you requested about 229000 tokens.",
      { limit: 200_000, size: 229_000 },
    ],
    [
      'OpenRouter, input by kind',
      "This endpoint's maximum context length is 204800 tokens. However, you requested about 250598 tokens " +
        '(230395 of text input, 4203 of tool input, 16000 in the output). Please reduce the length of either one.',
      { limit: 204_800, size: 234_598 },
    ],
    ['Copilot', 'prompt token count of 141204 exceeds the limit of 128000', { limit: 128_000, size: 141_204 }],
    [
      'Mistral',
      'Prompt contains 300,000 tokens and 0 images too large for model with 262,144 maximum context length',
      { limit: 262_144, size: 300_000 },
    ],
    [
      'Together',
      "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
      { limit: 262_144, size: 516_368 },
    ],
    [
      'Kimi',
      'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
      { limit: 262_144, size: 291_351 },
    ],
    ['MiniMax', 'invalid params, context window exceeds limit (2013)', {}],
    ['Qwen', 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', { limit: 129_024 }],
    [
      'LiteLLM',
      "litellm.ContextWindowExceededError: Input length (265330) exceeds model's maximum context length (262144).",
      { limit: 262_144, size: 265_330 },
    ],
    [
      'LM Studio',
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978 >= ' +
        'n_ctx: 8192). Try to load the model with a larger context length',
      { limit: 8_192, size: 10_978 },
    ],
    ['Ollama', 'prompt too long; exceeded max context length by 4021 tokens', {}],
    [
      'SGLang',
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of " +
        '140000 tokens: 139000 tokens from the input messages and 1000 tokens for the completion.',
      { limit: 131_072, size: 139_000 },
    ],
    [
      'Poolside',
      'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
      { limit: 131_040, size: 131_393 },
    ],
    [
      'DS4',
      'Prompt has 256468 tokens, but the configured context size is 256000 tokens',
      { limit: 256_000, size: 256_468 },
    ],
    [
      'Cohere',
      'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5012.',
      { limit: 4_081, size: 5_012 },
    ],
    ['z.ai', 'Prompt exceeds max length', {}],
  ])('%s', (_, message, numbers) => {
    expect(kindAndNumbers(openaiError(400, { error: { message } }))).toEqual({ kind: 'tokens', ...numbers })
  })

  test('Copilot: the code alone', () => {
    const failure = openaiError(400, { error: { message: 'refused', code: 'model_max_prompt_tokens_exceeded' } })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens' })
  })

  test('OpenRouter: the error of the provider behind it', () => {
    const raw = JSON.stringify(anthropicRefusal('invalid_request_error', 'prompt is too long: 9 tokens > 5 maximum'))
    const failure = openaiError(400, {
      error: { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'Anthropic' } },
    })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens', limit: 5, size: 9 })
  })

  test('vLLM: requested output and counted input', () => {
    const message =
      "This model's maximum context length is 40960 tokens. However, you requested 20000 output tokens and your prompt " +
      'contains 30000 input tokens, for a total of 50000 tokens. Please reduce the length of the input prompt.'
    const failure = openaiError(400, { error: { message, type: 'BadRequestError', param: null, code: 400 } })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'output', limit: 40_960, size: 30_000 })
  })

  test('vLLM: "at least" is where the server stopped counting, so the estimate decides', () => {
    const message =
      "This model's maximum context length is 131072 tokens. However, you requested 1024 output tokens and your prompt " +
      'contains at least 130049 input tokens, for a total of at least 131073 tokens.'
    // The wording stands in a plain body; the message says nothing.
    const failure = Object.assign(new Error('Bad Request'), { statusCode: 400, responseBody: message })
    expect(kindAndNumbers(failure, { size: 300_000, window: 131_072 })).toEqual({ kind: 'tokens', limit: 131_072 })
    expect(kindAndNumbers(failure, { size: 120_000, window: 131_072 })).toEqual({ kind: 'output', limit: 131_072 })
  })

  test('vLLM: characters instead of tokens', () => {
    const message =
      "This model's maximum context length is 4096 tokens. However, you requested 4096 output tokens and your prompt " +
      'contains 581 characters (more than 0 characters, which is the upper bound for 0 input tokens).'
    expect(kindAndNumbers({ status: 400, error: { message } }, { size: 200, window: 4_096 })).toEqual({
      kind: 'output',
      limit: 4_096,
    })
  })

  test('vLLM: an output cap that is too large for what the input leaves', () => {
    const message =
      "'max_tokens' or 'max_completion_tokens' is too large: 33000. This model's maximum context length is 32768 tokens " +
      'and your request has 100 input tokens (33000 > 32768 - 100).'
    expect(kindAndNumbers(openaiError(400, { error: { message } }))).toEqual({
      kind: 'output',
      limit: 32_768,
      size: 100,
    })
  })

  test('llama.cpp: numbers stand beside the message', () => {
    const failure = openaiError(400, {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 12_500,
        n_ctx: 8_192,
      },
    })
    expect(kindAndNumbers(failure)).toEqual({ kind: 'tokens', limit: 8_192, size: 12_500 })
  })

  test('llama.cpp: numbers stand in the message', () => {
    const message = 'request (12500 tokens) exceeds the available context size (8192 tokens), try increasing it'
    expect(kindAndNumbers({ error: message })).toEqual({ kind: 'tokens', limit: 8_192, size: 12_500 })
  })

  test.each([
    'context length exceeded: max 8192',
    'Requested 9100 tokens, max 8192 tokens in the context window',
    "This model's maximum context length is 8192 tokens",
    'the context window is full (maximum 8192)',
  ])('TC-25 the limit is learned from "%s"', (message) => {
    expect(kindAndNumbers(openaiError(400, { error: { message } }))).toEqual({ kind: 'tokens', limit: 8_192 })
  })
})

describe('answers without words', () => {
  test.each([400, 413])('BB-10 a bare %i is overflow only near the window', (status) => {
    for (const failure of [openaiError(status, undefined), anthropicError(status, undefined), { status, body: '' }]) {
      expect(kindAndNumbers(failure, NEAR)).toEqual({ kind: 'tokens' })
      expect(kindAndNumbers(failure, CONTEXT)).toBeUndefined()
    }
    expect(kindAndNumbers(new Error(`Request failed with status code ${status}`), NEAR)).toBeUndefined()
  })

  test('any other bare status is not', () => {
    for (const status of [404, 422, 500, 502])
      expect(kindAndNumbers(openaiError(status, undefined), NEAR)).toBeUndefined()
  })

  test('a 400 with words about something else is not, however near the window', () => {
    const failure = openaiError(400, { error: { message: "Unknown parameter: 'foo'.", code: 'unknown_parameter' } })
    expect(kindAndNumbers(failure, NEAR)).toBeUndefined()
  })

  test('a page that says more than its status is about bytes', () => {
    const body =
      '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity ' +
      'Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>'
    expect(kindAndNumbers({ status: 413, message: 'Request Entity Too Large', body })).toEqual({ kind: 'bytes' })
  })
})

describe('thinking that is bound to another prefix', () => {
  test.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove ' +
      'the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". The `system` prompt differs.',
    'messages.3.content.0: Invalid `signature` in `thinking` block',
    'thinking block rejected: prefix mismatch',
    'messages.3.content.5: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. ' +
      'These blocks must remain as they were in the original response.',
  ])('%s', (message) => {
    const failure = anthropicError(400, anthropicRefusal('invalid_request_error', message))
    expect(kindAndNumbers(failure)).toEqual({ kind: 'reasoning-bound' })
  })

  test('only as a refusal of the request', () => {
    const message = 'thinking block bound to a different conversation'
    expect(overflowFacts(anthropicError(500, anthropicRefusal('api_error', message)), CONTEXT)).toBeUndefined()
  })
})

function responsesBody(): { readonly error: object } {
  const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.'
  return { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message, param: 'input' } }
}
