import type { PermissionAnswer } from '@palimpsest/agent'
import type { ReplPorts } from './repl-options.ts'
import type { Question } from './repl-screen.ts'

/** Permissions that a person was asked for, and has not given or refused. */
export class Questions {
  onAsked: (question: Question) => void = () => {}
  onSettled: (id: number) => void = () => {}
  readonly #waiting = new Map<number, (answer: PermissionAnswer) => void>()
  #asked = 0

  readonly ask: ReplPorts['ask'] = (request, { signal }) =>
    new Promise((resolve, reject) => {
      this.#asked += 1
      const id = this.#asked
      const settle = () => {
        this.#waiting.delete(id)
        signal.removeEventListener('abort', aborted)
        this.onSettled(id)
      }
      const aborted = () => {
        settle()
        reject(signal.reason)
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', aborted)
      this.#waiting.set(id, (answer) => {
        settle()
        resolve(answer)
      })
      this.onAsked({ id, request })
    })

  answer(id: number, answer: PermissionAnswer): void {
    this.#waiting.get(id)?.(answer)
  }
}
