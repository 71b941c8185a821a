/** What the process ends with. Nothing else is used, save 70 for a fault of our own. */
export const exitCode = {
  /** Done, and nothing to object to. */
  fine: 0,
  /**
   * The thing that was looked at is wrong: a protocol violation, a plan that belongs to another transcript. Of the agent: it
   * ended without an answer.
   */
  wrong: 1,
  /** Bad usage, or input that cannot be read. */
  unusable: 2,
  /** The request cannot be made to fit the window. */
  cannotFit: 3,
  /** The provider of the model refused, failed, or could not be reached. */
  provider: 4,
  /** It was told to stop, and did. */
  interrupted: 130,
  /** A fault of this program. */
  internal: 70,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]
