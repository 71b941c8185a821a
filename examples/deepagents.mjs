// Deep agents: in the place of their own summarisation. Wants `deepagents`, `@langchain/anthropic` and ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL names another server.
import { ChatAnthropic } from '@langchain/anthropic'
import { createDeepAgent } from 'deepagents'
import { tool } from 'langchain'
import { DEEPAGENTS_SUMMARIZATION, palimpsestMiddleware } from 'palimpsest/langchain'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const agent = createDeepAgent({
  model: new ChatAnthropic({ model: 'claude-sonnet-5', maxTokens: 2_000 }),
  tools: [tool((input) => readFile(input), { ...READ_FILE, name: 'read_page', schema: READ_FILE.parameters })],
  middleware: [palimpsestMiddleware({ name: DEEPAGENTS_SUMMARIZATION, window: 32_000, onEvent: report })],
})

const { messages } = await agent.invoke({ messages: [{ role: 'user', content: TASK }] }, { recursionLimit: 1_000 })
const steps = messages.filter(({ type }) => type === 'ai').length
console.log(`${messages.at(-1).text}\ndone after ${steps} steps`)
