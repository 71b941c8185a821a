/** A wording by which a provider says that a request does not fit. */
export interface OverflowWording {
  /** Whose wording it is; `any` for phrases that several share. */
  readonly provider: string
  /**
   * Named groups: `limit` (the model's window), `size` (input tokens), `more` (further input tokens, added to `size`),
   * `output` (the output cap), `total` (input and output together).
   */
  readonly pattern: RegExp
}

/** Input and output cap together exceed the window: whether the input alone fits decides which remedy helps. */
export const OUTPUT_WORDINGS: readonly OverflowWording[] = [
  wording('Anthropic', 'input length and `?max_tokens`? exceed context limit: {size} \\+ {output} > {limit}'),
  wording('Anthropic', 'max_tokens: {output} > context_window:? {limit} - input_tokens:? {size}'),
  wording(
    'vLLM, DeepSeek',
    'maximum context length is {limit} tokens.{0,40}requested {output} output tokens and your (?:prompt|request) ' +
      '(?:contains|has) (?:at least )?{size} input tokens',
  ),
  wording(
    'vLLM, DeepSeek',
    'maximum context length is {limit} tokens.{0,40}requested {output} output tokens and your prompt contains ' +
      '\\d+ characters',
  ),
  wording(
    'vLLM',
    "is too large: {output}\\. This model's maximum context length is {limit} tokens and your request has {size} " +
      'input tokens',
  ),
  wording(
    'OpenAI',
    'maximum context length is {limit} tokens.{0,40}requested {total} tokens \\({size} in (?:the messages|your prompt)' +
      '(?:, {more} in the functions)?[,;] {output} (?:in|for) the completion',
  ),
  wording(
    'OpenRouter',
    'maximum context length is {limit} tokens.{0,40}requested about {total} tokens \\({size} of text input' +
      '(?:, {more} of tool input)?, {output} in the output',
  ),
  wording(
    'SGLang',
    'maximum context length of {limit} tokens.{0,60}total of {total} tokens: {size} tokens from the input messages ' +
      'and {output} tokens for the completion',
  ),
]

/** The input does not fit, whatever the output cap. Wordings with more numbers stand before vaguer ones. */
export const INPUT_WORDINGS: readonly OverflowWording[] = [
  wording('Anthropic, Bedrock', 'prompt is too long: {size} tokens > {limit} maximum'),
  wording('OpenAI', 'maximum context length is {limit} tokens.{0,60}messages resulted in {size} tokens'),
  wording('OpenAI', 'input tokens exceed the configured limit of {limit} tokens.{0,40}messages resulted in {size}'),
  wording('OpenRouter', 'maximum context length is {limit} tokens.{0,40}requested (?:about )?{total} tokens'),
  wording('Gemini', 'input token count (?:\\({size}\\) )?exceeds the maximum number of tokens allowed \\(?{limit}'),
  wording('Vertex', 'input token count is {size} but model only supports up to {limit}'),
  wording('xAI', 'maximum prompt length is {limit} but the request contains {size} tokens'),
  wording('Copilot', 'prompt token count of {size} exceeds the limit of {limit}'),
  wording('Mistral', 'prompt contains {size} tokens.{0,80}too large for model with {limit} maximum context length'),
  wording('Together', "input \\({size} tokens\\) is longer than the model'?s context length \\({limit} tokens\\)"),
  wording('Kimi', 'exceeded model token limit: {limit} \\(requested: {size}\\)'),
  wording('LiteLLM', "input length \\({size}\\) exceeds (?:the )?model'?s maximum context length \\({limit}\\)"),
  wording('Poolside', 'input length {size} exceeds the maximum allowed input length of {limit} tokens'),
  wording('DS4', 'prompt has {size} tokens, but the configured context size is {limit} tokens'),
  wording('Cohere', 'too many tokens: .{0,80}cannot exceed {limit} - received {size}'),
  wording('llama.cpp', 'request \\({size} tokens\\) exceeds the available context size \\({limit} tokens\\)'),
  wording('LM Studio', 'greater than the context length \\(n_keep: {size} >= n_ctx: {limit}\\)'),
  wording('Qwen', 'range of input length should be \\[\\d+, ?{limit}\\]'),
  wording('Kimi', 'exceeded model token limit(?:: {limit})?'),
  wording('any', 'max(?:imum)? (?:context|prompt|input|model) (?:length|window|size) (?:is|of) \\(?{limit}'),
  wording('any', 'context (?:length|window|size|limit).{0,60}\\b(?:max|maximum|limit)(?: is| of|:)? {limit}'),
  wording('any', '\\bmax(?:imum)?(?: of|:)? {limit}(?: tokens)?.{0,40}context (?:length|window|size|limit)'),
  wording('llama.cpp', 'exceeds the available context size'),
  wording('OpenAI', 'exceeds the context window'),
  wording('MiniMax', 'context window exceeds limit'),
  wording('Anthropic, Bedrock', '(?:prompt|input) is too long'),
  wording('Bedrock', 'too many total text bytes'),
  wording('Ollama', 'prompt too long; exceeded (?:max )?context length'),
  wording('Cohere', 'too many tokens: size limit exceeded'),
  wording('LM Studio', 'tokens to keep from the initial prompt is greater than the context length'),
  wording('Groq', 'reduce the length of the messages or completion'),
  wording('z.ai', 'prompt exceeds max(?:imum)? length'),
  wording(
    'any',
    "(?:exceed(?:s|ed)?|(?:longer|larger|greater) than) .{0,40}context(?:'s)? (?:length|window|size|limit)",
  ),
  wording('any', 'context[ _](?:length|window|size|limit)[ _](?:(?:was|is|has been) )?exceeded'),
]

/** Codes, types and class names that say it without words, in lower case. */
export const INPUT_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'model_max_prompt_tokens_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'contextwindowexceedederror',
])

/** The body is too large in bytes. Groups `bytes` and `unit`, where the text tells. */
export const BYTES_WORDINGS: readonly RegExp[] = [
  /request (?:payload )?size exceeds the limit:? ?(?<bytes>\d[\d,_]*) ?(?<unit>bytes|[kmg]i?b)?/i,
  /total message size [\d,]+ exceeds limit (?<bytes>\d[\d,_]*)/i,
  /exceeds? the maximum (?:allowed )?(?:request |body |payload )?(?:size|number of bytes)(?: of| is|:)? ?\(?(?<bytes>\d[\d,_]*) ?(?<unit>bytes|[kmg]i?b)/i,
  /request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
  /request too large[^\n]{0,20}\(max (?<bytes>\d[\d,_]*) ?(?<unit>[kmg]i?b)\)/i,
  /(?:request entity|payload|content|request body) (?:is )?too large/i,
]
export const BYTES_CODES: ReadonlySet<string> = new Set(['request_too_large'])

/**
 * One request asks for more tokens than the whole bucket of its rate limit: it can never pass. Overflow only when `size`
 * is above `limit`. A bucket for output tokens is none: less input does not help there.
 */
export const RATE_BUCKET: RegExp = compile(
  'request too large.{0,300}(?<!output )tokens per min.{0,80}limit:? {limit},? .{0,20}requested:? {size}',
)

/** Signed thinking that does not belong behind the messages it was sent with: without it the request is good. */
export const REASONING_BOUND: readonly RegExp[] = [
  /\b(?:thinking|signature|reasoning)\b.{0,300}\b(?:different conversation|bound to (?:a|an) (?:different|other))/is,
  /\b(?:thinking|signature|reasoning)\b.{0,300}\bprefix[ _-]?mismatch/is,
  /\bprefix[ _-]?mismatch.{0,300}\b(?:thinking|signature|reasoning)\b/is,
  /invalid [`'"]?signature[`'"]? in [`'"]?(?:redacted_)?thinking/i,
  /thinking[`'"]? blocks\b.{0,100}\bcannot be modified/is,
]

/** With one of these a failure is no overflow, whatever else it says. */
export const VETO_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429, 529])
export const VETO_WORDINGS: readonly RegExp[] = [
  /rate.?limit|too many requests|tokens per (?:min|hour|day)|\b[io]?tp[md]\b/i,
  /too many tokens, please wait/i,
  /throttl/i,
  /overloaded/i,
  /authenticat|unauthori[sz]ed|(?:invalid|incorrect).{0,10}api.?key|permission.?(?:denied|error)/i,
  /quota|billing|resource.?exhausted|credit balance|insufficient.{0,10}(?:credit|fund|balance)/i,
  /image.{0,40}(?:dimension|pixel|exceeds \d[\d.]* ?[km]i?b)/i,
]

/** The output cap itself is larger than the model allows: it is to be lowered, and nothing to be compacted. */
export const CAP_WORDINGS: readonly RegExp[] = [
  /max_(?:completion_|output_)?tokens[`'"]?(?: is too large|: \d+ > \d+| must be less than)/i,
  /range of [`'"]?max_(?:completion_|output_)?tokens/i,
  /maxOutputTokens value of/i,
  /maximum tokens you requested exceeds the model limit/i,
]

function wording(provider: string, source: string): OverflowWording {
  return { provider, pattern: compile(source) }
}

/** `{name}` in the source stands for a count, with commas or underscores between thousands, in the group `name`. */
function compile(source: string): RegExp {
  return new RegExp(
    source.replace(/\{([a-z]+)\}/g, (_, name: string) => `(?<${name}>\\d[\\d,_]*)`),
    'is',
  )
}
