// What keeping a prompt small does to the prompt cache: one tool loop of 40 steps, sent whole, with old results blanked in every
// step, and compacted at a trigger. Needs no key. `node examples/learning/prefix.mjs`
import { startWirelab } from '@palimpsest/wirelab'
import { anthropicMessages, createCompactor } from 'palimpsest'

const STEPS = 40
const MARK = { cache_control: { type: 'ephemeral' } }
const RULES = Array.from(
  { length: 120 },
  (_, n) => `Rule ${n}: part ${n} of the service keeps its port, its name and its log.`,
)
const read = { name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }
const steps = Array.from({ length: STEPS }, (_, n) => [
  { role: 'assistant', content: [{ type: 'tool_use', id: `call_${n}`, name: 'read', input: { part: n } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${n}`, content: pageOf(n) }] },
])

/** What each caller sends in place of a request. */
const CALLERS = {
  'sent whole': async (body) => body,
  'old results blanked': async (body) => ({
    ...body,
    messages: body.messages.map(blankedBefore(body.messages.length - 10)),
  }),
  compacted: compacting(),
}

console.log('caller              largest    input  read  written     cost')
for (const [name, prepare] of Object.entries(CALLERS)) {
  const ratios = []
  const total = { input: 0, read: 0, written: 0, plain: 0 }
  let largest = 0
  const lab = await startWirelab()
  for (let done = 0; done <= STEPS; done++) {
    const usage = await send(lab, marked(await prepare(bodyAfter(done))))
    for (const key of Object.keys(total)) total[key] += usage[key]
    largest = Math.max(largest, usage.input)
    ratios.push((usage.read / usage.input).toFixed(2))
  }
  await lab.close()
  const cost = Math.round(total.read * 0.1 + total.written * 1.25 + total.plain)
  const cells = [largest, total.input, share(total.read, total), share(total.written, total), cost]
  const widths = [7, 8, 5, 8, 8]
  console.log([name.padEnd(19), ...cells.map((cell, at) => String(cell).padStart(widths[at]))].join(' '))
  console.log(`  read ratio of steps 18 to 30: ${ratios.slice(17, 30).join(' ')}`)
}

function share(tokens, { input }) {
  return `${Math.round((100 * tokens) / input)} %`
}

function bodyAfter(done) {
  const messages = [{ role: 'user', content: 'Read all parts.' }, ...steps.slice(0, done).flat()]
  return {
    model: 'claude-sonnet-5',
    max_tokens: 2_000,
    system: [{ type: 'text', text: RULES.join('\n') }],
    tools: [read],
    messages,
  }
}

function compacting() {
  const compactor = createCompactor({ dialect: anthropicMessages, window: 64_000 })
  return async (body) => (await compactor.prepare(body)).request
}

function blankedBefore(cut) {
  return (message, at) => {
    if (at >= cut || message.role !== 'user' || at === 0) return message
    return { ...message, content: message.content.map((result) => ({ ...result, content: '[old result]' })) }
  }
}

/** Marks the end of the system text, and the end of the request. */
function marked(body) {
  const last = body.messages.at(-1)
  const content = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content
  const ended = { ...last, content: [...content.slice(0, -1), { ...content.at(-1), ...MARK }] }
  return {
    ...body,
    system: body.system.map((text) => ({ ...text, ...MARK })),
    messages: [...body.messages.slice(0, -1), ended],
  }
}

async function send(lab, body) {
  const response = await fetch(`${lab.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'any' },
    body: JSON.stringify(body),
  })
  const { usage } = await response.json()
  const [plain, read, written] = [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
  return { input: plain + read + written, read, written, plain }
}

function pageOf(n) {
  return Array.from({ length: 180 }, (_, line) => `export const part${n}_${line} = ${n * line}`).join('\n')
}
