import { startWirelab, toolLoop, type Wirelab } from '@palimpsest/wirelab'
import { createDeepAgent } from 'deepagents'
import { HumanMessage, ToolMessage } from 'langchain'
import type { CompactorEvent } from 'palimpsest'
import { DEEPAGENTS_SUMMARIZATION, palimpsestMiddleware } from 'palimpsest/langchain'
import { afterEach, expect, test } from 'vitest'
import { LONG_RUN, lastText, MODELS, readTool, refusals, TASK, wordsOf } from './langchain.test-data.ts'

const WINDOW = 32_000
const RESULT = 1_500
const INPUT = { messages: [new HumanMessage(TASK)] }
const labs: Wirelab[] = []

afterEach(async () => {
  await Promise.all(labs.splice(0).map((one) => one.close()))
})

test.each(['ChatAnthropic', 'ChatOpenAI, chat completions'])(
  'in a deep agent with %s it stands in the place of the summarisation: nothing is refused, the state is whole',
  async (name) => {
    const script = toolLoop({ steps: 40, tool: 'read', resultTokens: RESULT, final: 'All is read.' })
    const lab = await startWirelab({ window: WINDOW, script })
    labs.push(lab)
    const middleware = palimpsestMiddleware({ name: DEEPAGENTS_SUMMARIZATION, window: WINDOW })
    const agent = createDeepAgent({ model: modelOf(name, lab.url), tools: [readTool], middleware: [middleware] })
    const { messages, ...state } = await agent.invoke(INPUT, LONG_RUN)
    expect(lastText(messages)).toBe('All is read.')
    expect(refusals(lab.calls)).toEqual([])
    expect(lab.calls.filter((call) => call.purpose === 'summary').length).toBeGreaterThan(0)
    const results = messages.filter((message) => ToolMessage.isInstance(message))
    expect(results.map((message) => message.text)).toEqual(Array.from({ length: 40 }, (_, at) => wordsOf(RESULT, at)))
    // Its own summarisation writes this into the state.
    expect(state).not.toHaveProperty('_summarizationEvent')
  },
)

test('the general-purpose sub-agent has it too', async () => {
  const loop = toolLoop({ steps: 30, tool: 'read', resultTokens: RESULT, final: 'The sub-agent has read all.' })
  const lab = await startWirelab({
    window: WINDOW,
    script: (call) => {
      if (typeof loop !== 'function' || call.answered === 0) return taskCall()
      const [isSub, step] = [call.answered <= 31, call.answered - 1]
      return isSub ? loop({ ...call, answered: step }) : { parts: [{ kind: 'text', text: 'All is done.' }] }
    },
  })
  labs.push(lab)
  const events: CompactorEvent[] = []
  const onEvent = (event: CompactorEvent) => events.push(event)
  const middleware = palimpsestMiddleware({ name: DEEPAGENTS_SUMMARIZATION, window: WINDOW, onEvent })
  const agent = createDeepAgent({
    model: modelOf('ChatAnthropic', lab.url),
    tools: [readTool],
    middleware: [middleware],
  })
  const { messages } = await agent.invoke(INPUT, { ...LONG_RUN, configurable: { thread_id: 'one' } })
  expect(lastText(messages)).toBe('All is done.')
  expect(refusals(lab.calls)).toEqual([])
  expect(lab.calls.filter((call) => call.purpose === 'main')).toHaveLength(33)
  expect(events.some((event) => event.type === 'compaction-applied')).toBe(true)
})

function taskCall() {
  const input = { description: 'Read the files.', subagent_type: 'general-purpose' }
  return { parts: [{ kind: 'tool-call' as const, id: 'toolu_task', name: 'task', input }] }
}

function modelOf(name: string, url: string) {
  const model = MODELS[name]?.(url)
  if (model === undefined) throw new RangeError(`no model ${name}`)
  return model
}
