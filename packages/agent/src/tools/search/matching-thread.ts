import { Worker } from 'node:worker_threads'
import { ToolFailure } from '../agent-tool.ts'

/** A place in a text, from 0. */
export interface LineMatch {
  readonly line: number
  /** UTF-16 units of the line before it. */
  readonly column: number
}

interface Question {
  readonly pattern: RegExp
  readonly texts: readonly string[]
  /** The most lines of one text; 0: whether the whole text matches. */
  readonly most: number
}

/** JavaScript as it runs in the thread. A text, so that it needs no file of its own beside sources or built output. */
const THREAD = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ pattern, texts, most }) => {
  parentPort.postMessage(texts.map((text) => (most === 0 ? pattern.test(text) : linesOf(pattern, text, most))))
})
function linesOf(pattern, text, most) {
  const found = []
  const lines = text.split('\\n')
  for (let line = 0; line < lines.length && found.length < most; line += 1) {
    const match = pattern.exec(lines[line].endsWith('\\r') ? lines[line].slice(0, -1) : lines[line])
    if (match !== null) found.push({ line, column: match.index })
  }
  return found
}
`

/** Megabytes of a thread, for the texts and for what a pattern needs to remember. */
const MOST_MEGABYTES = 512

/**
 * Matches patterns in a thread of its own. Nobody can tell how long a pattern takes; a thread can be ended, and the rest of the
 * program does not wait for it. Close it when done.
 */
export class MatchingThread {
  #worker: Worker | undefined

  /** Which of the texts match as a whole. An aborted signal ends the thread. */
  async whole(pattern: RegExp, texts: readonly string[], signal: AbortSignal): Promise<readonly boolean[]> {
    return (await this.#ask({ pattern, texts, most: 0 }, signal)) as readonly boolean[]
  }

  /** The lines of each text that match, at most so many of each, with the first place in them. */
  async lines(
    question: { readonly pattern: RegExp; readonly texts: readonly string[]; readonly most: number },
    signal: AbortSignal,
  ): Promise<readonly (readonly LineMatch[])[]> {
    return (await this.#ask(question, signal)) as readonly (readonly LineMatch[])[]
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  async #ask(question: Question, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    this.#worker ??= new Worker(THREAD, {
      eval: true,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    })
    const worker = this.#worker
    const answer = answerOf(worker, signal)
    worker.postMessage(question)
    try {
      return await answer
    } catch (error) {
      await this.close()
      throw error
    }
  }
}

function answerOf(worker: Worker, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (found: unknown) => end(() => resolve(found))
    const onError = (error: Error) =>
      end(() => reject(new ToolFailure(`The search failed: ${error.message}. ${SIMPLER}`)))
    const onExit = () => end(() => reject(new ToolFailure(`The search ended early. ${SIMPLER}`)))
    const onAbort = () => end(() => reject(signal.reason))
    const end = (settle: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    worker.once('message', onMessage).once('error', onError).once('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

const SIMPLER = 'Try a simpler pattern, or fewer files.'
