// LangChain 1: a middleware for createAgent. Wants `langchain`, `@langchain/openai` and OPENAI_API_KEY; OPENAI_BASE_URL names another server.
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { palimpsestMiddleware } from 'palimpsest/langchain'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5' }),
  tools: [tool((input) => readFile(input), { ...READ_FILE, schema: READ_FILE.parameters })],
  middleware: [palimpsestMiddleware({ window: 32_000, tools: true, onEvent: report })],
})

const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: TASK }] },
  { recursionLimit: 1_000, configurable: { thread_id: 'reading' } },
)
const steps = messages.filter(({ type }) => type === 'ai').length
console.log(`${messages.at(-1).text}\ndone after ${steps} steps`)
