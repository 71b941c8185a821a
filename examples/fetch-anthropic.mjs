// The SDK of Anthropic, unchanged but for its fetch. Wants `@anthropic-ai/sdk` and ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL names another server.
import Anthropic from '@anthropic-ai/sdk'
import { palimpsestFetch } from 'palimpsest/fetch'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const client = new Anthropic({ fetch: palimpsestFetch({ window: 32_000, onEvent: report }) })

const messages = [{ role: 'user', content: TASK }]
const tools = [{ name: READ_FILE.name, description: READ_FILE.description, input_schema: READ_FILE.parameters }]
for (let step = 1; ; step++) {
  const stream = client.messages.stream({ model: 'claude-sonnet-5', max_tokens: 2_000, tools, messages })
  const { content } = await stream.finalMessage()
  messages.push({ role: 'assistant', content })
  const calls = content.filter((block) => block.type === 'tool_use')
  if (calls.length === 0) {
    console.log(`${content.map(({ text }) => text).join('')}\ndone after ${step} steps`)
    break
  }
  const results = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: readFile(input) }))
  messages.push({ role: 'user', content: results })
}
