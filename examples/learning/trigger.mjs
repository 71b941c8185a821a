// Exercise 1: pass the trigger, and read the event. A model of the simulator reads file after file; the compactor looks at each
// request before it is sent. Needs no key. `node examples/learning/trigger.mjs [POLICY] [LINES]`: lines of each file, by default 180.
import { startWirelab, toolLoop } from '@palimpsest/wirelab'
import { anthropicMessages, compactionLimits, createCompactor, formatPlan, presetByName } from 'palimpsest'

const window = 16_000
const cap = 2_000
const preset = presetByName(process.argv[2] ?? 'palimpsest')
const length = Number(process.argv[3] ?? 180)
const lab = await startWirelab({ window, script: toolLoop({ steps: 9, tool: 'read', final: 'All files are read.' }) })
const compactor = createCompactor({ dialect: anthropicMessages, window, preset, onEvent: show })

const tools = [{ name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }]
const messages = [{ role: 'user', content: 'Read all files. The port must stay 8443.' }]
const { trigger } = compactionLimits(preset, { outputCap: cap }, { window })
console.log(`${preset.name}: trigger ${trigger} of ${window} tokens`)

for (let step = 1; ; step++) {
  const body = { model: 'claude-sonnet-5', max_tokens: cap, tools, messages }
  const prepared = await compactor.prepare(body)
  const { size, request } = prepared
  console.log(`step ${step}: ${size.tokens} tokens, ${request.messages.length} of ${messages.length} messages`)
  const answer = await ask(request)
  prepared.observe(answer) // its usage makes the next size exact
  prepared.done()
  messages.push({ role: 'assistant', content: answer.content })
  const calls = answer.content.filter(({ type }) => type === 'tool_use')
  if (calls.length === 0) break
  messages.push({ role: 'user', content: calls.map(({ id }) => resultOf(id, step)) })
}
await lab.close()

async function ask(request) {
  const response = await fetch(`${lab.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'any' },
    body: JSON.stringify(request),
  })
  return response.json()
}

function resultOf(id, step) {
  const lines = Array.from({ length }, (_, line) => `export const part${step}_${line} = ${step * line}`)
  return { type: 'tool_result', tool_use_id: id, content: lines.join('\n') }
}

/** The event without the fields that are other ones in each run. */
function show({ type, reason, tokensBefore, tokensAfter, evicted, strategies, plan }) {
  if (type !== 'compaction-applied') return
  console.log(`  ${JSON.stringify({ type, reason, tokensBefore, tokensAfter, evicted, strategies })}`)
  console.log(`  plan: ${formatPlan(plan).slice(0, 72)}`)
}
