import { property } from '../json-fields.ts'

/** Every field this dialect reads that has two spellings on the wire. */
const SNAKE_CASE = {
  functionCall: 'function_call',
  functionResponse: 'function_response',
  inlineData: 'inline_data',
  fileData: 'file_data',
  mimeType: 'mime_type',
  fileUri: 'file_uri',
  thoughtSignature: 'thought_signature',
  executableCode: 'executable_code',
  codeExecutionResult: 'code_execution_result',
  systemInstruction: 'system_instruction',
  generationConfig: 'generation_config',
  maxOutputTokens: 'max_output_tokens',
  thinkingConfig: 'thinking_config',
  thinkingBudget: 'thinking_budget',
  usageMetadata: 'usage_metadata',
  promptTokenCount: 'prompt_token_count',
  cachedContentTokenCount: 'cached_content_token_count',
  candidatesTokenCount: 'candidates_token_count',
  thoughtsTokenCount: 'thoughts_token_count',
  finishReason: 'finish_reason',
} as const

/** A field with two spellings, by its camelCase name. */
export type FieldName = keyof typeof SNAKE_CASE

/** The field of `value` under either spelling; undefined when it is absent, null, or `value` is no object. */
export function field(value: unknown, name: FieldName): unknown {
  return property(value, name) ?? property(value, SNAKE_CASE[name])
}

/** The spelling under which `value` holds the field; camelCase when it has none. */
export function spelling(value: unknown, name: FieldName): string {
  const snake = SNAKE_CASE[name]
  return property(value, name) === undefined && property(value, snake) !== undefined ? snake : name
}
