/** The heading that a briefing begins with where the user has said anything. */
export const GOAL_HEADING = "## Goal, in the user's words"

/** The goal that a briefing of ours begins with. */
export function goalOf(summary: string): string | undefined {
  if (!summary.startsWith(`${GOAL_HEADING}\n`)) return undefined
  const rest = summary.slice(GOAL_HEADING.length + 1)
  const end = rest.search(/\n\n## /)
  return end < 0 ? rest : rest.slice(0, end)
}
