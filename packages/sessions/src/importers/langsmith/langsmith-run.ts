import { jsonText } from 'palimpsest/engine'
import type { RecordedCall } from '../imported-session.ts'
import { type Fields, fieldsOf, isFields, listOf, present, textOf, timeOf } from '../json-fields.ts'
import { parsed } from '../parse-line.ts'
import { langChainMessage, looksLikeMessage } from './langchain-message.ts'
import { messageModel, messageUsage, runModel, runUsage } from './langsmith-usage.ts'

/** A run: something that was called, with what went in and what came out. */
export function isRun(record: Fields): boolean {
  const inputs = objectOf(record.inputs)
  if (inputs === undefined) return false
  return typeof record.run_type === 'string' || ('outputs' in record && conversationIn(inputs).length > 0)
}

/** A run and all runs below it, each before its own. */
export function runsIn(run: Fields): Fields[] {
  const found: Fields[] = []
  const open = [run]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next)
    open.push(...listOf(next.child_runs).filter(isFields).reverse())
  }
  return found
}

/** What was said in a run, as the file holds it: what went in, and behind it what came out where that is not all of it. */
export function messagesOf(run: Fields): readonly unknown[] {
  const before = conversationIn(objectOf(run.inputs))
  const after = answersIn(objectOf(run.outputs))
  return after.length >= before.length && before.every((message, at) => isSame(message, after[at]))
    ? after
    : [...before, ...after]
}

/** What the run of a model says of its call, and the id of its answer; undefined for runs of anything else. */
export function answerOf(run: Fields): RunAnswer | undefined {
  if (run.run_type !== 'llm' && run.run_type !== 'chat_model') return undefined
  const outputs = objectOf(run.outputs)
  const message = langChainMessage(answersIn(outputs).at(-1))
  if (message === undefined) return undefined
  const usage = messageUsage(message) ?? runUsage(run, fieldsOf(outputs))
  const model = messageModel(message) ?? runModel(run)
  const timestamp = timeOf(run.end_time) ?? timeOf(run.start_time)
  return { id: textOf(message.id), call: present({ usage, model, timestamp }) }
}

export interface RunAnswer {
  readonly id: string | undefined
  readonly call: Omit<RecordedCall, 'position'>
}

/** The messages that stand in a value, wherever runs have them; a batch of conversations is its first. */
function conversationIn(value: unknown, depth = 0): readonly unknown[] {
  if (depth > DEPTH) return []
  if (Array.isArray(value)) {
    const list = value as readonly unknown[]
    if (list.some(looksLikeMessage)) return list
    return list.map((one) => (Array.isArray(one) ? conversationIn(one, depth + 1) : [])).find(isFilled) ?? []
  }
  const fields = fieldsOf(value)
  for (const place of PLACES) {
    const found = fields[place] == null ? NOTHING : conversationIn(fields[place], depth + 1)
    if (isFilled(found)) return found
  }
  return NOTHING
}

/** The messages in what came out: those of a conversation, else the one answer of a model. */
function answersIn(outputs: Fields | undefined): readonly unknown[] {
  if (outputs === undefined) return []
  const generation = [outputs.generations].flat(2)[0]
  const choice = listOf(outputs.choices)[0]
  const single = [fieldsOf(generation).message, fieldsOf(choice).message, outputs.message, outputs.output, outputs]
  const answer = single.find((value) => isFields(value) && langChainMessage(value) !== undefined)
  const conversation = conversationIn(outputs)
  if (conversation.length > 0) return conversation
  return answer === undefined ? [] : [answer]
}

/** Ids are given later, and where a message stands again it may have another form. */
function isSame(one: unknown, other: unknown): boolean {
  const [a, b] = [langChainMessage(one), langChainMessage(other)]
  if (a === undefined || b === undefined) return jsonText(one) === jsonText(other)
  return a.type === b.type && jsonText(a.content) === jsonText(b.content)
}

/** Tables of runs hold what went in and came out as JSON text. */
function objectOf(value: unknown): Fields | undefined {
  const object = typeof value === 'string' ? parsed(value)?.value : value
  return isFields(object) ? object : undefined
}

function isFilled(list: readonly unknown[]): boolean {
  return list.length > 0
}

/** Fields under which runs have messages, and what wraps those. */
const PLACES = ['messages', 'input', 'output', 'state', 'update', 'kwargs'] as const
const DEPTH = 4
const NOTHING: readonly unknown[] = []
