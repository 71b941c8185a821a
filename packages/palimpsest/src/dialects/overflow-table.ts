/** A wording by which a provider says that a request does not fit. Numbers are in the named groups. */
export interface OverflowWording {
  /** Whose wording it is. */
  readonly provider: string
  /**
   * Groups: `limit` (the model's window), `size` (input tokens), `input2` (more input tokens, added to `size`),
   * `output` (the output cap), `total` (input and output together). A number stands in at most one.
   */
  readonly pattern: RegExp
}

/** A count in a message: digits, with commas or underscores between thousands. */
const N = String.raw`\d[\d,_]*`

/** Input and output cap together exceed the window: tokens of the input decide which remedy helps. */
export const OUTPUT_WORDINGS: readonly OverflowWording[] = [
  wording('Anthropic', 'input length and `?max_tokens`? exceed context limit: <size> \\+ <output> > <limit>'),
  wording(
    'vLLM',
    'maximum context length is <limit> tokens[^\\n]{0,80}requested <output> output tokens and your (?:prompt|request) (?:contains|has) (?:at least )?<size> input tokens',
  ),
  wording(
    'vLLM',
    "is too large: <output>\\. This model's maximum context length is <limit> tokens and your request has <size> input tokens",
  ),
  wording(
    'OpenAI',
    'maximum context length is <limit> tokens[^\\n]{0,40}requested (?:about )?<total> tokens \\(<size> in the messages(?:, <input2> in the functions)?, <output> in the completion',
  ),
  wording(
    'OpenRouter',
    'maximum context length is <limit> tokens[^\\n]{0,40}requested (?:about )?<total> tokens \\(<size> of text input(?:, <input2> of tool input)?, <output> in the output',
  ),
]

/** The input does not fit, whatever the output cap. More telling wordings stand before vaguer ones. */
export const INPUT_WORDINGS: readonly OverflowWording[] = [
  wording('Anthropic, Bedrock', 'prompt is too long: <size> tokens > <limit> maximum'),
  wording('OpenAI', 'maximum context length is <limit> tokens[^\\n]{0,60}messages resulted in <size> tokens'),
  wording('OpenRouter', 'maximum context length is <limit> tokens[^\\n]{0,60}requested (?:about )?<total> tokens'),
  wording(
    'Gemini',
    'input token count(?: of)? \\(?<size>\\)? exceeds the maximum number of(?: input)? tokens(?: allowed)? ?\\(?<limit>\\)?',
  ),
  wording('xAI', 'maximum prompt length is <limit> but the request contains <size> tokens'),
  wording('Copilot', 'prompt token count of <size> exceeds the limit of <limit>'),
  wording(
    'Mistral',
    'prompt contains <size> tokens[^\\n]{0,80}too large for model with <limit> maximum context length',
  ),
  wording('Together', "input \\(<size> tokens\\) is longer than the model'?s context length \\(<limit> tokens\\)"),
  wording('Kimi', 'exceeded model token limit: <limit> \\(requested: <size>\\)'),
  wording('LiteLLM', "input length \\(<size>\\) exceeds (?:the )?model'?s maximum context length \\(<limit>\\)"),
  wording('llama.cpp', 'request \\(<size> tokens\\) exceeds the available context size \\(<limit> tokens\\)'),
  wording('Qwen', 'range of input length should be \\[\\d+, ?<limit>\\]'),
  wording('any', '(?:maximum|max) (?:context|prompt|model) (?:length|window|size) (?:is|of|:) ?<limit>'),
  wording('any', 'context (?:length|window|size|limit)[^\\n]{0,60}\\b(?:max|maximum|limit)(?: is| of|:)? ?<limit>'),
  wording('llama.cpp', 'exceeds? the available context size'),
  wording('OpenAI', 'exceeds? the context window'),
  wording('MiniMax', 'context window exceeds limit'),
  wording('Anthropic, Bedrock', '(?:prompt|input) is too long'),
  wording('Bedrock', 'too many total text bytes'),
  wording('Ollama', 'prompt too long; exceeded (?:max )?context length'),
  wording('LM Studio', 'tokens to keep from the initial prompt is greater than the context length'),
  wording('Groq', 'reduce the length of the messages or completion'),
  wording(
    'any',
    "(?:exceed(?:s|ed)?|longer than|larger than|greater than)[^\\n]{0,40}(?:context|model)(?:'s)? (?:length|window|size|limit)",
  ),
  wording('any', 'context (?:length|window|size|limit) (?:was |is |has been )?exceeded'),
]

/** Codes, types and class names that say it without words. */
export const INPUT_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'model_max_prompt_tokens_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'contextwindowexceedederror',
])

/** The body is too large in bytes. Group `bytes` with `unit`, where the text tells. */
export const BYTES_CODES: ReadonlySet<string> = new Set(['request_too_large'])
export const BYTES_WORDINGS: readonly RegExp[] = [
  /request (?:payload )?size exceeds the limit:? ?(?<bytes>\d[\d,_]*) ?(?<unit>bytes|[kmg]i?b)?/i,
  /request (?:body )?exceeds the maximum (?:allowed )?(?:size|number of bytes)(?: of)?(?: ?(?<bytes>\d[\d,_]*) ?(?<unit>bytes|[kmg]i?b))?/i,
  /(?:request entity|payload|content|request body) (?:is )?too large/i,
]

/** One request asks for more than the whole rate bucket: it can never pass. Overflow only when `size` > `limit`. */
export const RATE_BUCKET = compile(
  'request too large[\\s\\S]{0,300}tokens per min[\\s\\S]{0,80}limit:? <limit>, ?requested:? <size>',
)

/** Signed thinking that was made for another prefix than the one it was sent behind. */
export const REASONING_BOUND: readonly RegExp[] = [
  /(?:thinking|signature|reasoning)[\s\S]{0,200}(?:different conversation|bound to (?:a |an )?(?:different|another|other)|prefix[ _](?:mismatch|does not match|has changed))/i,
  /prefix[ _]mismatch[\s\S]{0,200}(?:thinking|signature|reasoning)/i,
]

/** Whatever else a failure says, with one of these it is no overflow. */
export const VETO_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429, 529])
export const VETO_WORDINGS: readonly RegExp[] = [
  /rate.?limit|too many requests|tokens per (?:min|day|hour)|\bTPM\b|\bTPD\b/i,
  /too many tokens, please wait/i,
  /throttl/i,
  /overloaded/i,
  /authenticat|unauthori[sz]ed|invalid.{0,10}api.?key|permission.?denied/i,
  /quota|billing|resource_exhausted|credit balance|insufficient.{0,10}(?:credit|fund|balance)/i,
  /image.{0,40}(?:dimension|pixel|exceeds \d[\d.]* ?[km]i?b)/i,
]

/** The output cap itself is larger than the model allows: it is to be lowered, nothing is to be compacted. */
export const CAP_WORDINGS: readonly RegExp[] = [
  /max_(?:completion_|output_)?tokens[`'"]?(?: is too large|: \d+ > \d+| must be less than|[\s\S]{0,20}valid range)/i,
  /(?:valid )?range of [`'"]?max_(?:completion_|output_)?tokens/i,
  /maxOutputTokens value of/i,
  /maximum tokens you requested exceeds the model limit/i,
]

function wording(provider: string, source: string): OverflowWording {
  return { provider, pattern: compile(source) }
}

/** `<name>` in the source stands for a count in the group of that name. */
function compile(source: string): RegExp {
  return new RegExp(
    source.replace(/(?<!\?)<(\w+)>/g, (_, name: string) => `(?<${name}>${N})`),
    'i',
  )
}
