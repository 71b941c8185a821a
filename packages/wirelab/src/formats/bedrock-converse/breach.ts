/** A rule that a request breaks, with the API's own kind of words. */
export interface Breach {
  readonly rule: ConverseRule
  readonly message: string
}

/** The rules, by the name that records and tests use. */
export type ConverseRule =
  | 'body'
  | 'role'
  | 'first-user'
  | 'last-user'
  | 'alternation'
  | 'empty-content'
  | 'block-key'
  | 'blank-text'
  | 'empty-result'
  | 'document-text'
  | 'tool-config'
  | 'call-without-result'
  | 'result-without-call'
  | 'result-place'
  | 'duplicate-call'
  | 'server-tool'
  | 'cache-points'
  | 'cache-order'
  | 'reasoning-signature'
  | 'reasoning-modified'
  | 'reasoning-bound'

/** Errors of the model behind the API arrive with this before them. */
export const MODEL_ERRORS = 'The model returned the following errors: '
