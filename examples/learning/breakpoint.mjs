// Exercise 3: a block that changes in every step, and what it does to the prompt cache. Four agents on the AI SDK, the same but for
// a middleware that tells the time, and where it puts it. Needs no key. `node examples/learning/breakpoint.mjs`
import { createAnthropic } from '@ai-sdk/anthropic'
import { startWirelab, toolLoop } from '@palimpsest/wirelab'
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai'

const RULES = Array.from(
  { length: 120 },
  (_, n) => `Rule ${n}: part ${n} of the service keeps its port, its name and its log.`,
)
const PAGE = Array.from({ length: 60 }, (_, n) => `Line ${n}: what the tool found there.`).join('\n')
const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const STEPS = 6

/** Marks the end of the stable system text, and the end of the request. */
const marks = ({ prompt }) =>
  prompt.map((message, at) => (at === 0 || at === prompt.length - 1 ? { ...message, providerOptions: MARK } : message))

/** Where the time stands: it is another one in each step. */
const PLACES = {
  nowhere: (prompt) => marks({ prompt }),
  'at the end': (prompt, time) => [...marks({ prompt }), { role: 'user', content: [{ type: 'text', text: time }] }],
  'behind the breakpoint': (prompt, time) => marks({ prompt }).toSpliced(1, 0, { role: 'system', content: time }),
  'in front of it': (prompt, time) => marks({ prompt }).toSpliced(0, 0, { role: 'system', content: time }),
}

for (const [place, put] of Object.entries(PLACES)) {
  const lab = await startWirelab({ script: toolLoop({ steps: STEPS - 1, tool: 'read', final: 'Done.' }) })
  let clock = 0
  const { steps } = await generateText({
    model: wrapLanguageModel({
      model: createAnthropic({ baseURL: `${lab.url}/v1`, apiKey: 'any' })('claude-sonnet-5'),
      middleware: {
        specificationVersion: 'v3',
        transformParams: async ({ params }) => ({ ...params, prompt: put(params.prompt, `It is 12:0${clock++}.`) }),
      },
    }),
    system: RULES.join('\n'),
    prompt: 'Read all pages.',
    tools: {
      read: tool({ description: 'Reads a page.', inputSchema: jsonSchema({ type: 'object' }), execute: () => PAGE }),
    },
    stopWhen: stepCountIs(STEPS),
  })
  await lab.close()
  console.log(`the time ${place}`)
  for (const [at, { usage }] of steps.entries()) console.log(`  ${lineOf(at + 1, usage)}`)
}

/** `palimpsest.cache.read_ratio` is what was read from the cache, of all input tokens. */
function lineOf(step, { inputTokens, inputTokenDetails: { cacheReadTokens, cacheWriteTokens, noCacheTokens } }) {
  const ratio = (cacheReadTokens / inputTokens).toFixed(2)
  const cost = cacheReadTokens * 0.1 + cacheWriteTokens * 1.25 + noCacheTokens
  return `step ${step}: input ${inputTokens} = read ${cacheReadTokens} + written ${cacheWriteTokens} + plain ${noCacheTokens}; ratio ${ratio}, cost ${Math.round(cost)}`
}
