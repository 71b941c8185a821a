// Exercise 2: a keep window that ends inside a tool batch. First the cut is made where the number says, then by the engine; both
// are checked, and both are sent to the simulator. Needs no key. `node examples/learning/boundary.mjs [KEPT]`
import { startWirelab } from '@palimpsest/wirelab'
import { compactConversation, decodePreset, formatPlan, openaiChat } from 'palimpsest'

const kept = Number(process.argv[2] ?? 4)
const messages = [
  { role: 'user', content: 'Rename the port in every file. It must stay 8443.' },
  ...['main', 'server', 'client'].flatMap((file) => batch(file)), // three steps with one call each
  ...batch('a', 'b', 'c', 'd'), // one step with four
  { role: 'assistant', content: 'Seven files are read. I go on with the tests.' },
]
const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }]
const body = { model: 'gpt-5', messages, tools }

const raw = messages.length - kept
console.log(
  `the newest ${kept} of ${messages.length} messages: the raw boundary is at ${raw}, in front of "${nameOf(messages[raw])}"`,
)
const summary = { role: 'user', content: 'Summary: main.ts, server.ts and client.ts were read.' }
const byNumber = { ...body, messages: [summary, ...messages.slice(raw)] }

const preset = decodePreset({ rungs: [{ strategy: 'summarizeOlder', budget: { tokens: 500 } }] })
const options = { preset, keep: { messages: kept }, force: true }
const compacted = compactConversation(openaiChat, openaiChat.open(body), options)
const { from, to } = compacted.plan.drop[0]
console.log(`the engine drops ${from} to ${to - 1}: the boundary is at ${to}, in front of "${nameOf(messages[to])}"`)
console.log(`its plan: ${formatPlan(compacted.plan)}`)
const byGroups = openaiChat.close(body, compacted.conversation)

const lab = await startWirelab()
await report('cut by number', byNumber)
const next = [...byNumber.messages, { role: 'user', content: 'Go on.' }]
await report('cut by number, one message later', { ...byNumber, messages: next })
await report('cut by groups', byGroups)
await lab.close()

async function report(name, request) {
  console.log(`${name}: ${request.messages.map(nameOf).join(' | ')}`)
  const broken = openaiChat.check(openaiChat.open(request)).map(({ rule }) => rule)
  console.log(`  check: ${broken.length === 0 ? 'no rule is broken' : broken.join(', ')}`)
  const response = await fetch(`${lab.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: JSON.stringify(request),
  })
  const { error } = await response.json()
  console.log(`  answer: ${response.status}${error === undefined ? '' : ` ${error.message}`}`)
}

/** One step: its calls, and their results. */
function batch(...files) {
  const calls = files.map((id) => ({
    id,
    type: 'function',
    function: { name: 'read', arguments: `{"path":"${id}.ts"}` },
  }))
  const lines = (id) => Array.from({ length: 120 }, (_, line) => `export const ${id}${line} = ${line}`).join('\n')
  const results = files.map((id) => ({ role: 'tool', tool_call_id: id, content: lines(id) }))
  return [{ role: 'assistant', content: null, tool_calls: calls }, ...results]
}

function nameOf({ role, tool_calls: calls, tool_call_id: id }) {
  if (calls !== undefined) return `calls ${calls.map((call) => call.id).join(' ')}`
  return id === undefined ? role : `result ${id}`
}
