import { field, listField, textField } from '../../json-fields.ts'

/** A content of the history as the rules read it. */
export interface ReadContent {
  readonly index: number
  readonly role: 'user' | 'model'
  /** What the request itself says. */
  readonly statedRole: string | undefined
  readonly parts: readonly unknown[]
  readonly calls: readonly unknown[]
  readonly responses: readonly unknown[]
}

/** The generate request: a count call may carry one inside itself. */
export function generateRequest(body: unknown): unknown {
  return field(body, 'generateContentRequest') ?? body
}

/** The contents in order. `function` is an older word for a user's content with function responses. */
export function readContents(body: unknown): readonly ReadContent[] {
  return listField(generateRequest(body), 'contents').map((content, index) => {
    const statedRole = textField(content, 'role')
    const parts = listField(content, 'parts')
    return {
      index,
      role: statedRole === 'model' ? 'model' : 'user',
      statedRole,
      parts,
      calls: partsOf(parts, 'functionCall', 'function_call'),
      responses: partsOf(parts, 'functionResponse', 'function_response'),
    }
  })
}

function partsOf(parts: readonly unknown[], ...keys: readonly string[]): readonly unknown[] {
  return parts.flatMap((part) => keys.map((key) => field(part, key)).filter((value) => value !== undefined))
}

/** The field in the API's JSON spelling or in that of its protocol buffers: both are read. */
export function eitherField(value: unknown, camel: string, snake: string): unknown {
  return field(value, camel) ?? field(value, snake)
}

/**
 * Where the current turn begins: at the last content in which the user says something, rather than a tool.
 */
export function currentTurnStart(contents: readonly ReadContent[]): number {
  return contents.findLastIndex(({ role, responses }) => role === 'user' && responses.length === 0)
}
