import { ToolFailure } from './agent-tool.ts'

/** How long something may take, and who may end it before. */
export interface TimeLimit {
  readonly seconds: number
  readonly signal: AbortSignal
  /** What the message says took too long, as the beginning of a sentence. */
  readonly what: string
  /** What would help, in a sentence. */
  readonly help?: string
}

/**
 * The result, or a ToolFailure when the time is over, or the signal's reason when that is aborted: at once, even where the work
 * itself does not listen to the signal that it gets.
 */
export async function withinSeconds<Result>(
  { seconds, signal, what, help = 'Nothing more of it is done.' }: TimeLimit,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  // one of our own, since what AbortSignal.any makes of a signal that lives long is not given back in every version of Node
  const over = new AbortController()
  const onAbort = () => over.abort(signal.reason)
  const late = new ToolFailure(`${what} took longer than ${seconds} seconds and was stopped. ${help}`)
  const timer = setTimeout(() => over.abort(late), seconds * 1_000)
  const stopped = new Promise<never>((_, reject) => {
    over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true })
  })
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([run(over.signal), stopped])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
