import type { Plan } from './plan.ts'

/**
 * A plan on one line, for tests, logs and the inspector: `drop 0-3 | summary 3 (120 ch) | offload 5.0 |
 * truncate 7.1 200+200/9000 | remove 8.0 | image 9.0`. Ranges name their last position; `5.*` is every result of item 5.
 *
 * @example
 * formatPlan({ drop: [{ from: 0, to: 41 }] }) // 'drop 0-40'
 */
export function formatPlan(plan: Plan): string {
  const words = [
    ...(plan.drop ?? []).map(({ from, to }) => (to - from === 1 ? `drop ${from}` : `drop ${from}-${to - 1}`)),
    ...(plan.summaries ?? []).map(({ insert_after, content }) => `summary ${insert_after} (${content.length} ch)`),
    ...(plan.offloads ?? []).map(({ message_index, part }) => `offload ${message_index}.${part ?? '*'}`),
    ...(plan.truncations ?? []).map(
      ({ message_index, part, kept_head, kept_tail, of }) =>
        `truncate ${message_index}.${part} ${kept_head}+${kept_tail}/${of}`,
    ),
    ...(plan.removals ?? []).map(({ message_index, part }) => `remove ${message_index}.${part}`),
    ...(plan.placeholders ?? []).map(({ message_index, part, kind }) => `${kind} ${message_index}.${part}`),
  ]
  return words.length === 0 ? 'nothing' : words.join(' | ')
}
