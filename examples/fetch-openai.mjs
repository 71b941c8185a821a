// The SDK of OpenAI, unchanged but for its fetch. Wants `openai` and OPENAI_API_KEY; OPENAI_BASE_URL names another server.
import OpenAI from 'openai'
import { palimpsestFetch } from 'palimpsest/fetch'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const client = new OpenAI({ fetch: palimpsestFetch({ window: 32_000, onEvent: report }) })

const messages = [{ role: 'user', content: TASK }]
const tools = [{ type: 'function', function: READ_FILE }]
for (let step = 1; ; step++) {
  const { choices } = await client.chat.completions.create({ model: 'gpt-5', tools, messages })
  const { message } = choices[0]
  messages.push(message)
  if (!message.tool_calls?.length) {
    console.log(`${message.content}\ndone after ${step} steps`)
    break
  }
  for (const { id, function: call } of message.tool_calls) {
    messages.push({ role: 'tool', tool_call_id: id, content: readFile(JSON.parse(call.arguments)) })
  }
}
