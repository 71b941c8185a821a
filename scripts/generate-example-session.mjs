// Writes examples/sessions/ledger-service.jsonl: a made-up session of a coding agent on a made-up project, the same bytes
// on every run. `npm start` shows it where no real session is found.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ledgerProject } from './example-session/ledger-project.mjs'
import { seededRandom } from './example-session/random.mjs'
import { sessionRecorder } from './example-session/session-recorder.mjs'
import { story } from './example-session/story.mjs'
import { home, workbench } from './example-session/workbench.mjs'
import { root } from './prepare.mjs'

/** The session as text, one JSON object a line. */
export function exampleSession() {
  const random = seededRandom(8443)
  const bench = workbench(ledgerProject(random), random)
  const recorder = sessionRecorder({
    random,
    start: Date.UTC(2026, 1, 3, 9, 30),
    cwd: home,
    model: 'claude-sonnet-4-5',
    version: '2.1.0',
  })
  for (const turn of story(bench)) record(turn, recorder, random)
  recorder.title('Multi-currency journal entries')
  return recorder.text()
}

function record(turn, recorder, random) {
  recorder.user(turn.user)
  for (const { thinking, text, calls } of turn.steps) {
    const uses = calls.map((call) => ({
      type: 'tool_use',
      id: `toolu_01${random.letters(22)}`,
      name: call.name,
      input: call.input,
    }))
    recorder.assistant([...thought(thinking, random), ...said(text), ...uses])
    recorder.results(calls.map((call, at) => result(uses[at].id, call)))
  }
  recorder.assistant(said(turn.closing))
  recorder.turnEnded(turn.steps.length * 11)
}

function thought(thinking, random) {
  return thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: `${random.base64(218)}==` }]
}

function said(text) {
  return text === undefined ? [] : [{ type: 'text', text }]
}

function result(id, call) {
  const block = { type: 'tool_result', tool_use_id: id, content: call.result }
  return call.isError ? { ...block, is_error: true } : block
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(root, 'examples/sessions')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'ledger-service.jsonl'), exampleSession())
}
