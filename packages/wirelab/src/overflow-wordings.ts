import { PalimpsestError } from 'palimpsest'
import type { HttpAnswer } from './format.ts'
import { jsonAnswer } from './json-answer.ts'

/** What a refusal states: tokens of the prompt, of the window, and of the output cap. */
export interface OverflowNumbers {
  readonly tokens: number
  readonly window: number
  readonly output: number
  readonly model: string
}

/** How one provider behaves when a prompt does not fit. */
export type OverflowWording = { readonly name: string; readonly provider: string } & (
  | {
      readonly responds: 'refusal'
      /** The error that says so. */
      readonly answer: (numbers: OverflowNumbers) => HttpAnswer
    }
  /** A proper answer without content, whose finish or stop reason is `model_context_window_exceeded`. */
  | { readonly responds: 'finish-reason' }
  /** A proper answer to a prompt that was cut: its usage sits at the window. */
  | { readonly responds: 'silent-cut' }
  /** A proper answer whose usage is above the window. */
  | { readonly responds: 'silent-above' }
)

/** Every way in which a provider tells, or does not tell, that a prompt does not fit. */
export const OVERFLOW_WORDINGS: readonly OverflowWording[] = [
  refusal('anthropic', 'Anthropic', (numbers) => anthropic(400, 'invalid_request_error', promptTooLong(numbers))),
  refusal('anthropic-output', 'Anthropic', (numbers) => anthropic(400, 'invalid_request_error', sumTooLong(numbers))),
  refusal('anthropic-bytes', 'Anthropic', () =>
    anthropic(413, 'request_too_large', 'Request exceeds the maximum size'),
  ),
  refusal('openai-chat', 'OpenAI Chat', (numbers) => openai(400, chatError(chatMessagesTooLong(numbers)))),
  refusal('openai-chat-output', 'OpenAI Chat', (numbers) => openai(400, chatError(chatSumTooLong(numbers)))),
  refusal('openai-responses', 'OpenAI Responses', () =>
    openai(400, {
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    }),
  ),
  refusal('openai-rate-bucket', 'OpenAI', (numbers) => openai(429, rateBucket(numbers))),
  refusal('groq-rate-bucket', 'Groq', (numbers) => openai(413, rateBucket(numbers))),
  refusal('gemini', 'Gemini', ({ tokens, window }) =>
    google(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`),
  ),
  refusal('vertex', 'Vertex', ({ tokens, window }) =>
    google(
      `Unable to submit request because the input token count is ${tokens} but model only supports up to ${window}. ` +
        'Reduce the input token count and try again.',
    ),
  ),
  refusal('bedrock', 'Bedrock', () => bedrock('Input is too long for requested model.')),
  refusal('bedrock-tokens', 'Bedrock', ({ tokens, window }) =>
    bedrock(`The model returned the following errors: prompt is too long: ${tokens} tokens > ${window} maximum`),
  ),
  refusal('bedrock-bytes', 'Bedrock', ({ tokens, window }) =>
    bedrock(`The model returned the following errors: too many total text bytes: ${tokens * 4} > ${window * 4}`),
  ),
  refusal('xai', 'xAI', ({ tokens, window }) =>
    jsonAnswer(400, {
      code: 'Client specified an invalid argument',
      error: `This model's maximum prompt length is ${window} but the request contains ${tokens} tokens.`,
    }),
  ),
  refusal('groq', 'Groq', () =>
    openai(400, {
      message: 'Please reduce the length of the messages or completion.',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }),
  ),
  refusal('groq-413', 'Groq', () =>
    openai(413, { message: 'Please reduce the length of the messages or completion.', type: 'invalid_request_error' }),
  ),
  refusal('openrouter', 'OpenRouter', ({ tokens, window }) =>
    openai(400, {
      message:
        `This endpoint's maximum context length is ${window} tokens. However, you requested about ${tokens} tokens. ` +
        'Please reduce the length of either one.',
      code: 400,
    }),
  ),
  refusal('copilot', 'Copilot', ({ tokens, window }) =>
    openai(400, {
      message: `prompt token count of ${tokens} exceeds the limit of ${window}`,
      code: 'model_max_prompt_tokens_exceeded',
    }),
  ),
  refusal('mistral', 'Mistral', ({ tokens, window }) =>
    jsonAnswer(400, {
      object: 'error',
      message: `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
      type: 'invalid_request_prompt',
      param: null,
      code: '3051',
    }),
  ),
  refusal('together', 'Together', ({ tokens, window }) => together(400, tokens, window)),
  refusal('together-422', 'Together', ({ tokens, window }) => together(422, tokens, window)),
  refusal('kimi', 'Kimi', ({ tokens, window }) =>
    openai(400, {
      message: `Invalid request: Your request exceeded model token limit: ${window} (requested: ${tokens})`,
      type: 'invalid_request_error',
    }),
  ),
  refusal('minimax', 'MiniMax', () =>
    openai(400, { message: 'invalid params, context window exceeds limit (2013)', type: 'bad_request_error' }),
  ),
  refusal('qwen', 'Qwen', ({ window }) =>
    openai(400, {
      message: `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${window}]`,
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_parameter_error',
    }),
  ),
  refusal('vllm', 'vLLM', (numbers) =>
    openai(400, { message: requestedOutput(numbers), type: 'BadRequestError', param: null, code: 400 }),
  ),
  refusal('vllm-plain', 'vLLM behind a gateway', (numbers) =>
    jsonAnswer(400, { message: 'Bad Request', body: requestedOutput(numbers) }),
  ),
  refusal('deepseek', 'DeepSeek', (numbers) =>
    openai(400, {
      message: requestedOutput(numbers),
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_request_error',
    }),
  ),
  refusal('litellm', 'LiteLLM', ({ tokens, window }) =>
    openai(400, {
      message:
        'litellm.BadRequestError: litellm.ContextWindowExceededError: ' +
        `Input length (${tokens}) exceeds model's maximum context length (${window}).`,
      type: null,
      param: null,
      code: '400',
    }),
  ),
  refusal('llama-cpp', 'llama.cpp', ({ tokens, window }) =>
    openai(400, {
      code: 400,
      message: `the request exceeds the available context size, try increasing it`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: tokens,
      n_ctx: window,
    }),
  ),
  refusal('lm-studio', 'LM Studio', ({ tokens, window }) =>
    jsonAnswer(400, {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length ' +
        `(n_keep: ${tokens} >= n_ctx: ${window}). Try to load the model with a larger context length, or provide a ` +
        'shorter input',
    }),
  ),
  refusal('ollama', 'Ollama', ({ tokens, window }) =>
    jsonAnswer(400, { error: `prompt too long; exceeded max context length by ${tokens - window} tokens` }),
  ),
  { name: 'ollama-silent', provider: 'Ollama', responds: 'silent-cut' },
  refusal('cerebras', 'Cerebras', () => ({ status: 400, headers: {}, body: '' })),
  refusal('proxy-413', 'proxies', () => ({ status: 413, headers: {}, body: '' })),
  { name: 'z-ai', provider: 'z.ai', responds: 'finish-reason' },
  { name: 'z-ai-silent', provider: 'z.ai', responds: 'silent-above' },
  { name: 'stop-reason', provider: 'Anthropic, Bedrock', responds: 'finish-reason' },
]

/**
 * The row of this name. @throws PalimpsestError `invalid-input` that lists the names there are.
 *
 * @example
 * overflowWording('anthropic').provider // 'Anthropic'
 */
export function overflowWording(name: string): OverflowWording {
  const found = OVERFLOW_WORDINGS.find((row) => row.name === name)
  if (found !== undefined) return found
  throw new PalimpsestError('invalid-input', `There is no overflow wording "${name}".`, {
    hint: `Known are ${OVERFLOW_WORDINGS.map((row) => row.name).join(', ')}.`,
  })
}

type Counts = Pick<OverflowNumbers, 'tokens' | 'window' | 'output'>

/** How Anthropic says that a prompt does not fit: alone, or with its output cap. */
export function anthropicTooLong(counts: Counts): string {
  return counts.tokens > counts.window ? promptTooLong(counts) : sumTooLong(counts)
}

function promptTooLong({ tokens, window }: Counts): string {
  return `prompt is too long: ${tokens} tokens > ${window} maximum`
}

function sumTooLong({ tokens, window, output }: Counts): string {
  return (
    `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${window}, decrease input length or ` +
    '`max_tokens` and try again'
  )
}

/** The error by which Chat Completions says that a prompt does not fit: alone, or with its output cap. */
export function chatTooLong(counts: Counts): object {
  return chatError(counts.tokens > counts.window ? chatMessagesTooLong(counts) : chatSumTooLong(counts))
}

function chatError(message: string): object {
  return { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' }
}

function chatMessagesTooLong({ tokens, window }: Counts): string {
  return (
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. ` +
    'Please reduce the length of the messages.'
  )
}

function chatSumTooLong({ tokens, window, output }: Counts): string {
  return (
    `This model's maximum context length is ${window} tokens. However, you requested ${tokens + output} tokens ` +
    `(${tokens} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`
  )
}

/** The row of this name, which refuses. @throws RangeError where it is one that answers. */
export function refusalWording(name: string): Extract<OverflowWording, { responds: 'refusal' }> {
  const row = overflowWording(name)
  if (row.responds === 'refusal') return row
  throw new RangeError(`the wording ${row.name} answers instead of refusing, so no fault can have it`)
}

function refusal(name: string, provider: string, answer: (numbers: OverflowNumbers) => HttpAnswer): OverflowWording {
  return { name, provider, responds: 'refusal', answer }
}

function anthropic(status: number, type: string, message: string): HttpAnswer {
  return jsonAnswer(status, { type: 'error', error: { type, message }, request_id: 'req_011wirelab' })
}

function openai(status: number, error: object): HttpAnswer {
  return jsonAnswer(status, { error })
}

function google(message: string): HttpAnswer {
  return jsonAnswer(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } })
}

function bedrock(message: string): HttpAnswer {
  return jsonAnswer(400, { message }, { 'x-amzn-errortype': 'ValidationException' })
}

function together(status: number, tokens: number, window: number): HttpAnswer {
  const message = `The input (${tokens} tokens) is longer than the model's context length (${window} tokens).`
  return openai(status, { message, type: 'invalid_request_error', param: null, code: null })
}

/** One request asks for more than a minute's bucket holds. */
function rateBucket({ tokens, window, model }: OverflowNumbers): object {
  return {
    message:
      `Request too large for ${model} in organization org-lab on tokens per min (TPM): Limit ${window}, Requested ` +
      `${tokens}. The input or output tokens must be reduced in order to run successfully.`,
    type: 'tokens',
    param: null,
    code: 'rate_limit_exceeded',
  }
}

function requestedOutput({ tokens, window, output }: OverflowNumbers): string {
  return (
    `This model's maximum context length is ${window} tokens. However, you requested ${output} output tokens and your ` +
    `prompt contains at least ${tokens} input tokens, for a total of at least ${tokens + output} tokens. Please reduce the ` +
    'length of the input prompt or the number of requested output tokens.'
  )
}
