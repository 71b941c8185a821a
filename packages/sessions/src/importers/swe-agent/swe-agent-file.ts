import { type Fields, fieldsOf, isFields, listOf, textOf } from '../json-fields.ts'
import { parsed } from '../parse-line.ts'

/** One attempt at a task, as a trajectory file holds it. */
export interface SweAttempt {
  /** All messages, in full: what the agent shortens before it sends them is whole here. */
  readonly history: readonly unknown[]
  /** What was done and seen, once more; old tools wrote nothing else. */
  readonly steps: readonly unknown[]
  readonly task: string | undefined
  readonly model: string | undefined
}

/** A whole trajectory file: of SWE-agent, of mini-SWE-agent, or of an agent that tried several times. */
export function isTrajectory(value: unknown): value is Fields {
  return isFields(value) && (isMini(value) || isAttempt(value) || listOf(value.attempts).some(isAttempt))
}

function isAttempt(value: unknown): boolean {
  if (!isFields(value) || !Array.isArray(value.trajectory)) return false
  if (value.trajectory.some((step) => isStep(fieldsOf(step)))) return true
  const history = listOf(value.history)
  if (history.some((entry) => isHistoryEntry(fieldsOf(entry)))) return true
  return Array.isArray(value.history) && history.length === 0 && 'environment' in value
}

/** A message in the history of SWE-agent. Other clients do not say which of its agents a message is for. */
export function isHistoryEntry(record: Fields): boolean {
  return typeof record.role === 'string' && typeof record.agent === 'string' && 'content' in record
}

/** One step: what the model answered, what was done, and what was seen then. */
export function isStep(record: Fields): boolean {
  const { action, observation, response, thought } = record
  return typeof action === 'string' && typeof observation === 'string' && [response, thought].some(isText)
}

/** The attempts of a file, at least one. The chosen one stands outside too, where there is one. */
export function attemptsOf(file: Fields): SweAttempt[] {
  if (isMini(file)) return [{ history: listOf(file.messages), steps: [], ...miniFacts(file) }]
  const hasOwn = Array.isArray(file.history) || Array.isArray(file.trajectory)
  const attempts = hasOwn ? [file] : listOf(file.attempts).map(fieldsOf)
  return attempts.map((attempt) => ({
    history: listOf(attempt.history),
    steps: listOf(attempt.trajectory),
    ...replayFacts(attempt.replay_config ?? file.replay_config),
  }))
}

function isMini({ trajectory_format: format, messages }: Fields): boolean {
  return typeof format === 'string' && format.startsWith('mini-swe-agent') && Array.isArray(messages)
}

function miniFacts({ info, instance_id: task }: Fields): Pick<SweAttempt, 'task' | 'model'> {
  const config = fieldsOf(fieldsOf(info).config)
  return { task: textOf(task), model: textOf(fieldsOf(config.model).model_name) }
}

/** The settings that would run it again, as an object or as its JSON text. */
function replayFacts(settings: unknown): Pick<SweAttempt, 'task' | 'model'> {
  const { agent, problem_statement: problem } = fieldsOf(
    typeof settings === 'string' ? parsed(settings)?.value : settings,
  )
  const model = textOf(fieldsOf(fieldsOf(agent).model).name)
  return { task: textOf(fieldsOf(problem).id), model: model !== undefined && NO_MODELS.has(model) ? undefined : model }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Where a human, or a recording, stood for the model. */
const NO_MODELS: ReadonlySet<string> = new Set(['human', 'human_thought', 'replay', 'instant_empty_submit'])
