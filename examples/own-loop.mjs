// A loop of your own, with plain functions: whatever sends the requests. Wants ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL names another server.
import { anthropicMessages, createCompactor } from 'palimpsest'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const compactor = createCompactor({ dialect: anthropicMessages, window: 32_000, onEvent: report })

/** One call of the model: sends the request as it should go out, and again, smaller, where the provider refuses it. */
async function ask(body) {
  let prepared = await compactor.prepare(body)
  for (;;) {
    let answer
    try {
      answer = await send(prepared.request)
    } catch (error) {
      const next = await prepared.recover(error)
      if (next === undefined) throw error // not an overflow: yours to handle
      prepared = next
      continue
    }
    const cut = prepared.observe(answer) // also takes the usage, so that the next size is exact
    if (cut === undefined) {
      prepared.done()
      return answer
    }
    prepared = await prepared.recoverFrom(cut)
  }
}

async function send(body) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com'}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': process.env.ANTHROPIC_API_KEY ?? '',
    },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw Object.assign(new Error(answer.error?.message), { status: response.status, body: answer })
  return answer
}

const tools = [{ name: READ_FILE.name, description: READ_FILE.description, input_schema: READ_FILE.parameters }]
const messages = [{ role: 'user', content: TASK }]
for (let step = 1; ; step++) {
  const { content } = await ask({ model: 'claude-sonnet-5', max_tokens: 2_000, tools, messages })
  messages.push({ role: 'assistant', content })
  const calls = content.filter((block) => block.type === 'tool_use')
  if (calls.length === 0) {
    console.log(`${content.map(({ text }) => text).join('')}\ndone after ${step} steps`)
    break
  }
  const results = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: readFile(input) }))
  messages.push({ role: 'user', content: results })
}
