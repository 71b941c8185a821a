// The task: a folder with a command that prints a part, and a model that has the client run it for part after part.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the client is asked. */
export const WORDS =
  'Run "sh part.sh N" for every N from 1 on, one after the other, and tell me when all parts are read.'

/** What the model says at the end. */
export const FINAL = 'All parts are read.'

/** Puts the command into a folder: it prints lines of about this many tokens, and notes that it ran. */
export function prepareParts(folder, tokens) {
  const lines = Math.round(tokens / 19)
  const script = `echo "$1" >> steps.log
i=1
while [ "$i" -le ${lines} ]; do echo "part $1 line $i: value_$1_$i = compute($i)"; i=$((i + 1)); done
`
  writeFileSync(join(folder, 'part.sh'), script)
}

/** Steps that really ran, in order, each once. */
export function stepsDone(folder) {
  const file = join(folder, 'steps.log')
  return existsSync(file) ? new Set(readFileSync(file, 'utf8').trim().split('\n')).size : 0
}

/** A model that runs the command through the client's own shell tool, `steps` times, and then is done. */
export function clientLoop(client, steps) {
  let asked = 0
  return ({ body }) => {
    const { name } = client.call('')
    const schema = wantedJson(body)
    if (schema !== undefined) return said(JSON.stringify(exampleOf(schema)))
    // titles, topics and checks of loops come without that tool; summaries of the client's own may come with it
    if (!hasTool(body, name) || asksForSummary(body)) return said('Parts are being read, one after the other.')
    if (asked === steps) return said(FINAL)
    asked += 1
    const call = client.call(`sh part.sh ${asked}`)
    return { parts: [{ kind: 'tool-call', id: `call_${asked}`, ...call }] }
  }
}

function said(text) {
  return { parts: [{ kind: 'text', text }] }
}

/** The schema of an answer that must be JSON, as Gemini CLI asks for one when it looks for loops. */
function wantedJson({ generationConfig }) {
  if (generationConfig?.responseMimeType !== 'application/json') return undefined
  return generationConfig.responseJsonSchema ?? generationConfig.responseSchema ?? {}
}

/** The emptiest value of a schema: nothing is wrong, nothing is meant. */
function exampleOf({ type, properties = {} }) {
  const kind = String(type).toLowerCase()
  if (kind === 'string') return 'Parts are being read.'
  if (kind === 'number' || kind === 'integer') return 0
  if (kind === 'boolean') return false
  if (kind === 'array') return []
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema)]))
}

function hasTool({ tools = [] }, name) {
  return tools.some((tool) => {
    const declared = tool.functionDeclarations ?? [tool.function ?? tool]
    return declared.some((one) => one.name === name)
  })
}

/** Do the last words of this conversation ask for a summary of it, as the client's own compaction does? */
function asksForSummary({ messages, input, contents }) {
  const items = messages ?? input ?? contents ?? []
  const last = JSON.stringify(items.findLast(({ role }) => role !== 'system' && role !== 'developer') ?? '')
  return /Your task is to create a (?:detailed|comprehensive)|CONTEXT CHECKPOINT COMPACTION|anchored summary|<state_snapshot>|Summarize the older portion|Provide a detailed (?:prompt|summary) for/.test(
    last,
  )
}
