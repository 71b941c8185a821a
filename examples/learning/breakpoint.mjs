// Exercise 3: a block that changes in every step, and what it does to the prompt cache. Four agents on the AI SDK, the same but for
// the place at which a middleware tells them the time; OpenTelemetry watches. Needs no key.
// `node examples/learning/breakpoint.mjs [EVERY]`: the time is another one at every so many steps. Default 1.
import { createAnthropic } from '@ai-sdk/anthropic'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { startWirelab, toolLoop } from '@palimpsest/wirelab'
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { palimpsest } from 'palimpsest/ai-sdk'
import { METRICS, openTelemetry } from 'palimpsest/otel'

const STEPS = 6
const EVERY = Number(process.argv[2] ?? 1)
const RULES = Array.from(
  { length: 120 },
  (_, n) => `Rule ${n}: part ${n} of the service keeps its port, its name and its log.`,
)
const PAGE = Array.from({ length: 60 }, (_, n) => `Line ${n}: what the tool found there.`).join('\n')
const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** Where the time stands, in a prompt whose first message is the system text. */
const PLACES = {
  nowhere: (prompt) => marked(prompt),
  'at the end': (prompt, time) => [...marked(prompt), { role: 'user', content: [{ type: 'text', text: time }] }],
  'behind the breakpoint': (prompt, time) => marked(prompt).toSpliced(1, 0, { role: 'system', content: time }),
  'in front of it': (prompt, time) => marked(prompt).toSpliced(0, 0, { role: 'system', content: time }),
}

for (const [place, put] of Object.entries(PLACES)) {
  const lab = await startWirelab({ script: toolLoop({ steps: STEPS - 1, tool: 'read', final: 'Done.' }) })
  const watch = await watching()
  let calls = 0
  const clock = {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => ({
      ...params,
      prompt: put(params.prompt, `It is 12:0${Math.floor(calls++ / EVERY)}.`),
    }),
  }
  const { steps } = await generateText({
    model: wrapLanguageModel({
      model: createAnthropic({ baseURL: `${lab.url}/v1`, apiKey: 'any' })('claude-sonnet-5'),
      middleware: [palimpsest({ onEvent: watch.onEvent }), clock],
    }),
    system: RULES.join('\n'),
    prompt: 'Read all pages.',
    tools: {
      read: tool({ description: 'Reads a page.', inputSchema: jsonSchema({ type: 'object' }), execute: () => PAGE }),
    },
    stopWhen: stepCountIs(STEPS),
  })
  await lab.close()
  console.log(`the time ${place}: ${METRICS.cacheReadRatio.name} is ${await watch.meanReadRatio()} in the mean`)
  for (const [at, { usage }] of steps.entries()) console.log(`  ${lineOf(at + 1, usage)}`)
}

/** The end of the system text, and the end of the request, are marked for the cache. */
function marked(prompt) {
  const mark = (message, at) => (at === 0 || at === prompt.length - 1 ? { ...message, providerOptions: MARK } : message)
  return prompt.map(mark)
}

function lineOf(step, { inputTokens, inputTokenDetails: { cacheReadTokens, cacheWriteTokens, noCacheTokens } }) {
  const ratio = (cacheReadTokens / inputTokens).toFixed(2)
  const cost = Math.round(cacheReadTokens * 0.1 + cacheWriteTokens * 1.25 + noCacheTokens)
  const parts = `read ${cacheReadTokens} + written ${cacheWriteTokens} + plain ${noCacheTokens}`
  return `step ${step}: input ${inputTokens} = ${parts}; ratio ${ratio}, cost ${cost}`
}

/** A meter of its own for each agent. */
async function watching() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const { onEvent } = await openTelemetry({ meterProvider })
  return {
    onEvent,
    async meanReadRatio() {
      await meterProvider.forceFlush()
      const metrics = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
      const histogram = metrics.findLast(({ descriptor }) => descriptor.name === METRICS.cacheReadRatio.name)
      const { sum, count } = histogram.dataPoints[0].value
      await meterProvider.shutdown()
      return (sum / count).toFixed(2)
    },
  }
}
