/** A rule that a request breaks, with the API's own kind of words. */
export interface Breach {
  readonly rule: GeminiRule
  readonly message: string
}

/** The rules, by the name that records and tests use. */
export type GeminiRule =
  | 'body'
  | 'empty-contents'
  | 'role'
  | 'empty-content'
  | 'empty-part'
  | 'response-name'
  | 'first-role'
  | 'alternation'
  | 'call-place'
  | 'response-place'
  | 'response-count'
  | 'response-match'
  | 'missing-signature'
  | 'corrupted-signature'
