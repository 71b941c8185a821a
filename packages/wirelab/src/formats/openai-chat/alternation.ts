import type { Fields } from '../../json-fields.ts'

/**
 * The rule of strict chat templates: one system message at most, first; then user and assistant in turns. Messages of
 * tools, and those in which the assistant calls them, stand outside of the turns.
 */
export function checkAlternation(
  messages: readonly Fields[],
): { readonly rule: string; readonly message: string } | undefined {
  const system = messages.findLastIndex(({ role }) => role === 'system' || role === 'developer')
  if (system > 0) return { rule: 'system-place', message: 'System message must be at the beginning.' }
  const turns = messages.filter(({ role, tool_calls }) => {
    const calls = Array.isArray(tool_calls) && tool_calls.length > 0
    return role === 'user' || (role === 'assistant' && !calls)
  })
  if (turns.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))) return undefined
  return {
    rule: 'alternation',
    message:
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/... ' +
      '(raised by the chat template)',
  }
}
