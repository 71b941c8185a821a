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
  const over = new AbortController()
  const late = new ToolFailure(`${what} took longer than ${seconds} seconds and was stopped. ${help}`)
  const timer = setTimeout(() => over.abort(late), seconds * 1_000)
  const either = AbortSignal.any([signal, over.signal])
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(either.reason)
    either.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([run(either), stopped])
  } finally {
    clearTimeout(timer)
    either.removeEventListener('abort', stop)
  }
}
