// How many retries a refusal is worth. The compactor believes in a window of 200,000 tokens; the server has less, and does not say
// how much. Needs no key. `node examples/learning/overflow.mjs`
import { startWirelab } from '@palimpsest/wirelab'
import { anthropicMessages, createCompactor, decodePreset } from 'palimpsest'

const read = { name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }
const turns = Array.from({ length: 30 }, (_, turn) => [
  { role: 'user', content: `Task ${turn}: read part ${turn} and say what it exports.` },
  { role: 'assistant', content: [{ type: 'tool_use', id: `call_${turn}`, name: 'read', input: { part: turn } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: pageOf(turn) }] },
  { role: 'assistant', content: `Part ${turn} exports 180 numbers.` },
]).flat()
const question = { role: 'user', content: 'Which part exports the largest number?' }
const body = { model: 'claude-sonnet-5', max_tokens: 2_000, tools: [read], messages: [...turns, question] }

for (const serverWindow of [40_000, 22_000, 12_000]) {
  console.log(`the server takes ${serverWindow} tokens`)
  for (const overflowRetries of [1, 2]) {
    const lab = await startWirelab({ window: serverWindow, wording: 'bedrock' })
    const preset = decodePreset({ overflowRetries })
    const compactor = createCompactor({ dialect: anthropicMessages, window: 200_000, preset })
    console.log(
      `  at most ${overflowRetries} ${overflowRetries === 1 ? 'retry' : 'retries'}: ${await call(compactor, lab)}`,
    )
    await lab.close()
  }
}

/** One call of a model: again, smaller, for as long as the compactor has something smaller. Tells what was sent. */
async function call(compactor, lab, sent = []) {
  let prepared = await compactor.prepare(body)
  for (;;) {
    const response = await fetch(`${lab.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'any' },
      body: JSON.stringify(prepared.request),
    })
    sent.push(`${prepared.size.tokens} tokens → ${response.status}`)
    const answer = await response.json()
    if (response.ok) return sent.join(', ')
    const next = await prepared.recover({ status: response.status, body: answer }).catch((error) => error)
    if (next instanceof Error) return `${sent.join(', ')}, then ${next.name}`
    prepared = next
  }
}

function pageOf(turn) {
  return Array.from({ length: 180 }, (_, line) => `export const part${turn}_${line} = ${turn * line}`).join('\n')
}
