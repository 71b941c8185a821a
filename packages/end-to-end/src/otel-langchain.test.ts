import { type Span, trace } from '@opentelemetry/api'
import { toolLoop } from '@palimpsest/wirelab'
import { createAgent, HumanMessage } from 'langchain'
import { palimpsestMiddleware } from 'palimpsest/langchain'
import { expect, test } from 'vitest'
import { labsOf } from './labs.test-data.ts'
import { LONG_RUN, lastText, MODELS, readTool, TASK } from './langchain.test-data.ts'
import { eventsOf, observing, parentOf, reasonsOf, summarySpans } from './otel.test-data.ts'

const WINDOW = 32_000
const { lab } = labsOf(WINDOW)
const observe = observing()

test('G1 LangChain: compactions of a graph stand on the span that the application began its turn with', async () => {
  const observed = await observe()
  const { url } = await lab({
    script: toolLoop({ steps: 30, tool: 'read', resultTokens: 1_500, final: 'All is read.' }),
  })
  const model = MODELS.ChatAnthropic?.(url)
  if (model === undefined) throw new RangeError('There is no ChatAnthropic here.')
  const middleware = [palimpsestMiddleware({ window: WINDOW, onEvent: observed.telemetry.onEvent })]
  const agent = createAgent({ model, tools: [readTool], middleware })
  await trace.getTracer('application').startActiveSpan('POST /chat', async (span: Span) => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage(TASK)] }, LONG_RUN)
    expect(lastText(messages)).toBe('All is read.')
    span.end()
  })
  const spans = observed.spans()
  expect(reasonsOf(spans).length).toBeGreaterThan(0)
  expect(new Set(eventsOf(spans))).toEqual(new Set(['POST /chat: gen_ai.conversation.compacted']))
  for (const summary of summarySpans(spans)) expect(parentOf(summary, spans)?.name).toBe('POST /chat')
  expect(observed.logged).toHaveLength(reasonsOf(spans).length)
})
