import { type Content, GoogleGenAI, type Part } from '@google/genai'
import type { Step } from './steps.test-data.ts'
import { type Answer, type Manner, outputCap, SYSTEM, TOOL, type Way } from './way.test-data.ts'

/** Gemini by `@google/genai`. */
export const gemini: Way = {
  name: '@google/genai',
  format: 'gemini',
  dialect: 'gemini',
  model: 'gemini-2.5-flash',
  manners: ['generate', 'stream'],
  connect: (setup) => {
    const { url, keeper, apiKey = 'any', model = gemini.model, system = SYSTEM } = setup
    const maxOutputTokens = outputCap(setup)
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, fetch: keeper.fetch } })
    const config = {
      systemInstruction: system,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      tools: [{ functionDeclarations: [{ name: TOOL }] }],
    }
    return { ask: (steps, manner) => askGemini(client, { model, contents: contentsOf(steps), config }, manner) }
  },
}

type Body = Parameters<GoogleGenAI['models']['generateContent']>[0]

async function askGemini(client: GoogleGenAI, body: Body, manner: Manner): Promise<Answer> {
  const chunks =
    manner === 'stream' ? await client.models.generateContentStream(body) : [await client.models.generateContent(body)]
  const parts: Part[] = []
  for await (const { candidates } of chunks) parts.push(...(candidates?.[0]?.content?.parts ?? []))
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall === undefined
      ? []
      : [{ id: functionCall.id ?? '', name: functionCall.name ?? '', input: functionCall.args ?? {} }],
  )
  const shown = parts.map(({ text }) => text ?? '').join('')
  return { text: parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join(''), calls, shown }
}

function contentsOf(steps: readonly Step[]): Content[] {
  return steps.flatMap((step): Content[] => {
    if ('user' in step) return [{ role: 'user', parts: [{ text: step.user }] }]
    if (!('calls' in step)) return [{ role: 'model', parts: [{ text: step.say }] }]
    const said = step.say === undefined ? [] : [{ text: step.say }]
    const calls = step.calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))
    const responses = step.calls.map(({ id, name, result }) => ({
      functionResponse: { id, name, response: { output: result } },
    }))
    return [
      { role: 'model', parts: [...said, ...calls] },
      { role: 'user', parts: responses },
    ]
  })
}
