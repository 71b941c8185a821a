// AI SDK 6 or 7 with tools by which the model finds again what left its prompt. Wants `ai`, `@ai-sdk/openai` and OPENAI_API_KEY.
import { openai } from '@ai-sdk/openai'
import { jsonSchema, stepCountIs, ToolLoopAgent, tool, wrapLanguageModel } from 'ai'
import { palimpsestContext, palimpsestTools } from 'palimpsest/ai-sdk'
import { directoryStores } from 'palimpsest/stores/node'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const context = palimpsestContext({
  window: 32_000,
  stores: directoryStores(process.env.STORE ?? '.palimpsest/examples'), // without: in memory, for this process
  onEvent: report,
})

const agent = new ToolLoopAgent({
  model: wrapLanguageModel({ model: openai('gpt-5'), middleware: context.middleware }),
  tools: {
    ...palimpsestTools(context), // compact_conversation, read_history, search_history
    read_file: tool({
      description: READ_FILE.description,
      inputSchema: jsonSchema(READ_FILE.parameters),
      execute: (input) => readFile(input),
    }),
  },
  stopWhen: stepCountIs(200),
})

const question = 'At the end, look up in your history how the first page that you read begins.'
const { text, steps } = await agent.generate({ prompt: `${TASK}. ${question}` })
for (const { toolName, output } of steps.flatMap(({ toolResults }) => toolResults)) {
  if (toolName !== 'read_file') console.log(`${toolName}: ${output.slice(0, 200)}`)
}
console.log(`${text}\ndone after ${steps.length} steps`)
