// AI SDK 6 or 7: a middleware around any model. Wants `ai`, `@ai-sdk/openai` and OPENAI_API_KEY; OPENAI_BASE_URL names another server.
import { openai } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { palimpsest } from 'palimpsest/ai-sdk'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const model = wrapLanguageModel({
  model: openai('gpt-5'),
  // A small window, so that you see it work. Leave it out, and that of the model holds.
  middleware: palimpsest({ window: 32_000, onEvent: report }),
})

const { text, steps } = await generateText({
  model,
  tools: {
    read_file: tool({
      description: READ_FILE.description,
      inputSchema: jsonSchema(READ_FILE.parameters),
      execute: (input) => readFile(input),
    }),
  },
  stopWhen: stepCountIs(200),
  prompt: TASK,
})
console.log(`${text}\ndone after ${steps.length} steps`)
