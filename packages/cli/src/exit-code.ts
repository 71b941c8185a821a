/** What the process ends with. Nothing else is used, save 70 for a fault of our own. */
export const exitCode = {
  /** Done, and nothing to object to. */
  fine: 0,
  /** The thing that was looked at is wrong: a protocol violation, a plan that belongs to another transcript. */
  wrong: 1,
  /** Bad usage, or input that cannot be read. */
  unusable: 2,
  /** The request cannot be made to fit the window. */
  cannotFit: 3,
  /** A fault of this program. */
  internal: 70,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]
