import { type Fields, fieldsOf, listOf, textOf } from '../json-fields.ts'

/** Where the user's turns begin, so that the newest can be taken back. */
export class UserTurns {
  readonly #starts: number[] = []
  #taskFrom: number | undefined
  #inTask = false

  /** Events of a task: it begins before its first item; a message that comes while it runs belongs to it. */
  event(type: unknown, position: number): void {
    if (type === 'task_started' || type === 'turn_started') {
      this.#taskFrom = position
      this.#inTask = false
    } else if (type === 'task_complete' || type === 'turn_complete' || type === 'turn_aborted') {
      this.#taskFrom = undefined
      this.#inTask = false
    }
  }

  item(item: Fields, position: number): void {
    if (!isUsersMessage(item)) return
    if (this.#taskFrom !== undefined) {
      // The opening texts of the client stand in the first task, and stay when its turn goes.
      this.#starts.push(this.#starts.length === 0 ? position : this.#taskFrom)
      this.#taskFrom = undefined
      this.#inTask = true
    } else if (!this.#inTask) this.#starts.push(position)
  }

  /** The position from which items go when the newest `turns` are taken back. `end`: how many items there are. */
  rollBack(turns: number, end: number): number {
    const count = Math.min(turns, this.#starts.length)
    if (count === 0) return end
    const [from] = this.#starts.splice(this.#starts.length - count)
    this.#taskFrom = undefined
    this.#inTask = false
    return from ?? end
  }
}

function isUsersMessage(item: Fields): boolean {
  if (item.type !== 'message' || item.role !== 'user') return false
  const text = listOf(item.content)
    .map((part) => textOf(fieldsOf(part).text) ?? '')
    .join('\n')
    .trimStart()
  return !CLIENT_OPENINGS.some((opening) => text.startsWith(opening))
}

/** Openings of texts that Codex puts into user messages by itself. */
const CLIENT_OPENINGS = [
  '# AGENTS.md instructions',
  '<user_instructions>',
  '<environment_context>',
  '<turn_aborted>',
  '<user_shell_command>',
  '<skill>',
  '<subagent_notification>',
]
