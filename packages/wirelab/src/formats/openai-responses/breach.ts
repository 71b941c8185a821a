/** A rule that a request breaks, with the API's own kind of words. */
export interface Breach {
  readonly rule: ResponsesRule
  readonly message: string
}

/** The rules, by the name that records and tests use. */
export type ResponsesRule =
  | 'body'
  | 'missing-parameter'
  | 'input-type'
  | 'item-type'
  | 'item-fields'
  | 'item-id'
  | 'duplicate-item'
  | 'content-type'
  | 'call-without-output'
  | 'output-without-call'
  | 'reasoning-without-item'
  | 'item-without-reasoning'
  | 'not-persisted'
  | 'encrypted-content'
  | 'codex-parameter'
