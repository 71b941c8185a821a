import { ToolFailure } from '../agent-tool.ts'

/** What to look for. */
export interface PatternOptions {
  readonly literal: boolean
  readonly ignoreCase: boolean
}

/** The expression, as JavaScript has them; `(?i)` in front is understood. @throws ToolFailure for one that is none. */
export function searchPattern(pattern: string, { literal, ignoreCase }: PatternOptions): RegExp {
  const inline = literal ? null : /^\(\?i\)/.exec(pattern)
  const source = literal ? pattern.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&') : pattern.slice(inline?.[0].length ?? 0)
  try {
    return new RegExp(source, ignoreCase || inline !== null ? 'i' : '')
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is none'
    throw new ToolFailure(
      `The pattern is no regular expression: ${reason}. To look for the text as it is, set literal.`,
    )
  }
}
