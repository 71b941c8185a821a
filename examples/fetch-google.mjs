// The SDK of Google, unchanged but for its fetch. Wants `@google/genai` and GEMINI_API_KEY; GOOGLE_GEMINI_BASE_URL names another server.
import { GoogleGenAI } from '@google/genai'
import { palimpsestFetch } from 'palimpsest/fetch'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const client = new GoogleGenAI({ httpOptions: { fetch: palimpsestFetch({ window: 32_000, onEvent: report }) } })

const { name, description, parameters } = READ_FILE
const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }]
const contents = [{ role: 'user', parts: [{ text: TASK }] }]
for (let step = 1; ; step++) {
  const answer = await client.models.generateContent({ model: 'gemini-2.5-flash', contents, config: { tools } })
  const content = answer.candidates[0].content
  contents.push(content)
  const calls = content.parts.flatMap(({ functionCall }) => functionCall ?? [])
  if (calls.length === 0) {
    console.log(`${answer.text}\ndone after ${step} steps`)
    break
  }
  const parts = calls.map((call) => ({
    functionResponse: { id: call.id, name: call.name, response: { output: readFile(call.args) } },
  }))
  contents.push({ role: 'user', parts })
}
