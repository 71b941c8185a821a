// The model calls of recorded sessions, one after the other, as their agent would have sent them. Where no recorded
// sessions lie beside the repository, one that is made up stands in, and says so.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { importSessionText } from '@palimpsest/sessions'
import { FORMATS } from '@palimpsest/wirelab'
import { sessionFiles } from './recall.mjs'

const CORPUS = join(import.meta.dirname, '../../shared/corpus')
const MODEL = 'claude-opus-4-5'

/**
 * Sessions in Anthropic's format with at least so many model calls, the longest first, each up to `mostCalls`; a made-up one
 * where there is none.
 * `steps`: how many items stood before each answer, and when it was asked for, in milliseconds.
 */
export function recordedRuns({ corpus = CORPUS, leastCalls = 100, mostSessions = 6, mostCalls = 250 } = {}) {
  const files = existsSync(corpus) ? sessionFiles(corpus) : []
  const runs = files
    .map(readRun)
    .filter((run) => run !== undefined)
    .map((run) => ({ ...run, steps: sendable(run, run.steps.slice(0, mostCalls)) }))
    .filter((run) => run.steps.length >= leastCalls)
  if (runs.length === 0) return [generatedRun({ calls: Math.max(leastCalls, 200) })]
  return runs.sort((a, b) => b.steps.length - a.steps.length).slice(0, mostSessions)
}

/** Up to where a client mended its history in a way that the file does not show: a call that was broken off has no result. */
function sendable(run, steps) {
  const isRefused = (step) => format.validate(requestAt(run, step), RULES, CALL) !== undefined
  const first = steps.findIndex(isRefused)
  return first < 0 ? steps : steps.slice(0, first)
}

const format = FORMATS.find(({ name }) => name === 'anthropic-messages')
const CALL = { kind: 'generate', stream: false, model: MODEL }
/** Signatures of recorded thinking are none that a simulator made. */
export const RULES = { thinkingBinding: 'none', strictAlternation: false, systemInMessages: true }

function readRun(file) {
  const session = importSessionText(readFileSync(file, 'utf8'))
  if (session.dialect !== 'anthropic-messages') return undefined
  const items = session.items.map(({ item }) => item)
  // where two answers stand together the first was broken off: nothing asks for the second
  const steps = session.calls
    .filter(({ position }) => items[position - 1]?.role === 'user')
    .map(({ position, timestamp }) => ({ position, at: timestamp ?? session.items[position - 1].timestamp ?? 0 }))
  return { name: basename(file, '.jsonl').slice(0, 32), isRecorded: true, items, steps }
}

/**
 * A tool loop of one task: every step reads a file and gets its text, a quarter of a minute after the one before it.
 * `charactersOf`: how long the text of a step is; `talk`: the agent writes it itself, and the user says that it shall go on.
 */
export function generatedRun({ calls, charactersOf = () => 6_000, talk = false }) {
  const items = [{ role: 'user', content: [{ type: 'text', text: 'Find the fault in this project and mend it.' }] }]
  const steps = []
  for (let call = 1; call <= calls; call++) {
    steps.push({ position: items.length, at: call * 15_000 })
    items.push(...(talk ? talkStep : toolStep)(call, charactersOf(call)))
  }
  return { name: `made up, ${calls} calls`, isRecorded: false, items, steps }
}

/** A call and its result, told apart from all others by their number. */
function toolStep(call, characters) {
  const id = `toolu_${String(call).padStart(6, '0')}`
  const text = textOf(call, characters)
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Reading file ${call}.` },
        { type: 'tool_use', id, name: 'Read', input: { file_path: `src/part-${call}.ts` } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
  ]
}

function talkStep(call, characters) {
  return [
    { role: 'assistant', content: [{ type: 'text', text: textOf(call, characters) }] },
    { role: 'user', content: [{ type: 'text', text: `Go on with part ${call + 1}.` }] },
  ]
}

function textOf(call, characters) {
  const line = `export const value${call} = (question: string) => question.length * ${call} // part ${call}\n`
  return line.repeat(Math.ceil(characters / line.length))
}

/** Session files hold neither system prompt nor tool definitions: these stand in, of the size that agents have. */
const SYSTEM = 'You are a careful engineer. Read before you write, and run the tests after every change. '.repeat(150)

/** The native request of a step: everything said before it. */
export function requestAt(run, { position }) {
  run.tools ??= toolsOf(run.items)
  return {
    model: MODEL,
    max_tokens: 8_192,
    system: [{ type: 'text', text: SYSTEM }],
    tools: run.tools,
    messages: run.items.slice(0, position),
  }
}

function toolsOf(items) {
  const blocks = items.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const names = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name))
  return [...names].map((name) => ({
    name,
    description: `${name}: one of the tools of the agent. `.repeat(20),
    input_schema: { type: 'object', properties: {}, additionalProperties: true },
  }))
}

/** The middle one; of an even number the upper of the two. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
