// What a middleware adds to one step of an agent while there is nothing to compact: recorded sessions and one of 1,000
// messages, their last steps, through Palimpsest's middleware for the AI SDK and LangChain, and beside them what others do
// at every step: LangChain's `summarizationMiddleware`, the summarisation of `deepagents`, `pruneMessages` of the AI SDK. All
// in this process, in turns, on the same messages; the model answers at once, and a step without any middleware is taken off.
// Time is the processor's: other work on the machine must not count.
import { loadavg } from 'node:os'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { pruneMessages } from 'ai'
import { createSummarizationMiddleware, StateBackend } from 'deepagents'
import { summarizationMiddleware } from 'langchain'
import { palimpsest } from 'palimpsest/ai-sdk'
import { palimpsestMiddleware } from 'palimpsest/langchain'
import { generatedRun, median, recordedRuns } from './recorded-runs.mjs'

const MESSAGES = 1_000
const STEPS = 40
const ROUNDS = 5
const GOAL_MS = 0.2
/** Room for every session: nothing is ever compacted. */
const WINDOW = 4_000_000

export const COLUMNS = [
  'session',
  'messages',
  'middleware',
  'ms a step',
  '× palimpsest of its kind',
  'goal ms',
  'reached',
]

export async function run({ runs, steps = STEPS, rounds = ROUNDS } = {}) {
  const sessions = runs ?? [
    generatedRun({ calls: MESSAGES / 2 }),
    ...recordedRuns({ mostSessions: 3, mostCalls: 1_000 }),
  ]
  const load = loadavg()[0]
  const rows = []
  for (const session of sessions) rows.push(...(await compare(session, { steps, rounds })))
  console.log(`Load average: ${load.toFixed(1)} at the beginning, ${loadavg()[0].toFixed(1)} at the end.`)
  return { columns: COLUMNS, rows, load: [load, loadavg()[0]] }
}

/** The same last steps of a session, once for each middleware and round. */
async function compare(session, { steps, rounds }) {
  const kinds = { 'ai-sdk': aiSdkSteps(session, steps), langchain: langchainSteps(session, steps) }
  const costs = new Map(CONTENDERS.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const { name, kind, start } of CONTENDERS) {
      const cost = await stepCost(await start(), kinds[kind])
      if (round > 0) costs.get(name).push(cost) // the first round pays for compiling
    }
  }
  const added = new Map(
    CONTENDERS.map(({ name, kind }) => [name, median(costs.get(name)) - median(costs.get(`nothing, ${kind}`))]),
  )
  const shown = CONTENDERS.filter(({ name }) => !name.startsWith('nothing'))
  return shown.map(({ name, kind }) => {
    const ours = name.startsWith('palimpsest')
    const ms = added.get(name)
    const times = ms / added.get(`palimpsest, ${kind}`)
    const { length } = kinds[kind].at(-1)
    return [
      session.name,
      length,
      name,
      rounded(ms),
      rounded(times),
      ours ? GOAL_MS : '-',
      ours ? (ms <= GOAL_MS ? 'yes' : 'no') : '-',
    ]
  })
}

/** Milliseconds of processor time a step. The first step shows the whole history, which only a new conversation costs. */
async function stepCost(take, [first, ...steps]) {
  await take(first)
  const cpu = process.cpuUsage()
  for (const step of steps) await take(step)
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1000 / steps.length
}

/** Each gives a function that takes the messages of a step, with a memory of its own. */
const CONTENDERS = [
  { name: 'nothing, ai-sdk', kind: 'ai-sdk', start: () => (prompt) => MODEL.doGenerate(callOf(prompt)) },
  { name: 'palimpsest, ai-sdk', kind: 'ai-sdk', start: startAiSdk },
  { name: 'pruneMessages', kind: 'ai-sdk', start: () => pruneStep },
  { name: 'nothing, langchain', kind: 'langchain', start: () => (messages) => HANDLER(requestOf(messages)) },
  { name: 'palimpsest, langchain', kind: 'langchain', start: startLangChain },
  { name: 'summarizationMiddleware', kind: 'langchain', start: startSummarization },
  { name: 'deepagents', kind: 'langchain', start: startDeepAgents },
]

const MODEL = {
  specificationVersion: 'v3',
  provider: 'openai.chat',
  modelId: 'gpt-4.1',
  supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'Done.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: {}, outputTokens: {} },
    warnings: [],
  }),
}

/** The SDK makes the prompt of every step anew, of the same strings. */
function callOf(prompt) {
  return { prompt: prompt.map((message) => ({ ...message, content: copied(message.content) })) }
}

function copied(content) {
  return typeof content === 'string' ? content : content.map((part) => ({ ...part }))
}

function startAiSdk() {
  const middleware = palimpsest({ window: WINDOW, summarizer: 'extractive' })
  return async (prompt) => {
    const params = callOf(prompt)
    await middleware.wrapGenerate({ model: MODEL, params, doGenerate: () => MODEL.doGenerate(params) })
  }
}

/** As `prepareStep` would use it, with its most usual setting; it trims at every step, whatever the size. */
async function pruneStep(prompt) {
  const call = callOf(prompt)
  const messages = pruneMessages({
    messages: call.prompt,
    reasoning: 'before-last-message',
    toolCalls: 'before-last-20-messages',
  })
  await MODEL.doGenerate({ prompt: messages })
}

const CHAT_MODEL = new FakeListChatModel({ responses: ['Done.'] })
const HANDLER = async () => new AIMessage('Done.')

/** LangChain keeps its messages in the state: each step has the same objects, and two more. */
function requestOf(messages) {
  return { model: CHAT_MODEL, messages: [...messages], tools: [], state: { messages }, runtime: { context: {} } }
}

function startLangChain() {
  const middleware = palimpsestMiddleware({ window: WINDOW, summarizer: 'extractive' })
  return (messages) => middleware.wrapModelCall(requestOf(messages), HANDLER)
}

function startSummarization() {
  const trigger = { tokens: WINDOW }
  const middleware = summarizationMiddleware({ model: CHAT_MODEL, trigger, keep: { messages: 20 } })
  const hook = typeof middleware.beforeModel === 'function' ? middleware.beforeModel : middleware.beforeModel.hook
  return async (messages) => {
    const request = requestOf(messages)
    const changes = await hook(request.state, request.runtime)
    if (changes !== undefined) throw new Error('There was something to summarise.')
    await HANDLER(request)
  }
}

function startDeepAgents() {
  const middleware = createSummarizationMiddleware({
    model: CHAT_MODEL,
    backend: new StateBackend({ state: {} }),
    trigger: { type: 'tokens', value: WINDOW },
  })
  return (messages) => middleware.wrapModelCall(requestOf(messages), HANDLER)
}

/** The prompts of the last steps, the shortest first. */
function aiSdkSteps(session, steps) {
  return lastSteps(session, steps).map((items) => items.flatMap(asPrompt))
}

function langchainSteps(session, steps) {
  const known = new Map()
  const messagesOf = (item) => {
    const messages = known.get(item) ?? asMessages(item)
    known.set(item, messages)
    return messages
  }
  return lastSteps(session, steps).map((items) => items.flatMap(messagesOf))
}

function lastSteps({ items, steps }, many) {
  return steps.slice(-many - 1).map(({ position }) => items.slice(0, position))
}

function asPrompt({ role, content }) {
  const blocks = blocksOf(content)
  const results = blocks.filter(({ type }) => type === 'tool_result').map(asResult)
  const others = blocks.flatMap((block) => (block.type === 'tool_result' ? [] : asPart(block)))
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results }] : []),
    ...(others.length > 0 ? [{ role, content: others }] : []),
  ]
}

function asPart({ type, text, thinking, id, name, input }) {
  if (type === 'text') return [{ type: 'text', text }]
  if (type === 'thinking') return [{ type: 'reasoning', text: thinking }]
  return type === 'tool_use' ? [{ type: 'tool-call', toolCallId: id, toolName: name, input }] : []
}

function asResult({ tool_use_id: toolCallId, content }) {
  return { type: 'tool-result', toolCallId, toolName: 'tool', output: { type: 'text', value: textOf(content) } }
}

function asMessages({ role, content }) {
  const blocks = blocksOf(content)
  const text = textOf(content)
  if (role === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use')
    return [
      new AIMessage({ content: text, tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input })) }),
    ]
  }
  const results = blocks.filter(({ type }) => type === 'tool_result')
  return [
    ...results.map((one) => new ToolMessage({ content: textOf(one.content), tool_call_id: one.tool_use_id })),
    ...(text === '' ? [] : [new HumanMessage(text)]),
  ]
}

function blocksOf(content) {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
}

function textOf(content) {
  return blocksOf(content)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('\n')
}

function rounded(value) {
  return Math.round(value * 1000) / 1000
}
