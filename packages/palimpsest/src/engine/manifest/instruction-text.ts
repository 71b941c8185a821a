/** Kinds of standing instructions that clients put into the conversation themselves. */
const OPENINGS: readonly (readonly [kind: string, opening: RegExp])[] = [
  ['agents-file', /^# AGENTS\.md instructions/],
  ['user-instructions', /^<(?:user_instructions|INSTRUCTIONS)>/],
  ['permissions', /^<permissions instructions>/],
  ['mode', /^<collaboration_mode>/],
  ['memory-file', /^<system-reminder>[\s\S]{0,400}(?:claudeMd|CLAUDE\.md|AGENTS\.md|GEMINI\.md)/],
  ['plan-mode', /^<system-reminder>[\s\S]{0,200}\bplan mode\b/i],
]

/**
 * Which kind of standing instruction an injected text is; undefined for passing ones (notifications, environment,
 * command output). Only the newest of a kind counts.
 */
export function instructionKind(injected: string): string | undefined {
  const start = injected.trimStart().slice(0, 1_000)
  return OPENINGS.find(([, opening]) => opening.test(start))?.[0]
}
