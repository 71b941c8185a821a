// What prompt caching costs and saves: recorded sessions are sent call by call to the simulator, whose prompt cache lives
// five minutes of the sessions' own time, by callers with and without Palimpsest and cache marks. Cost is in tokens of
// plain input: read from the cache × 0.1, written to it × 1.25, all else × 1, summary calls included. A prefix break is a
// request whose prompt does not begin with the whole prompt of the one before it; each voids what was cached behind it.
import { FORMATS, startWirelab } from '@palimpsest/wirelab'
import { pruneMessages } from 'ai'
import { estimateText } from 'palimpsest'
import { palimpsestFetch } from 'palimpsest/fetch'
import { RULES, recordedRuns, requestAt } from './recorded-runs.mjs'

const PRICE = { plain: 1, write: 1.25, read: 0.1 }
const LARGE = 2_000_000

export const COLUMNS = [
  'session',
  'caller',
  'window',
  'calls',
  'refused',
  'compactions',
  'breaks',
  'M tokens',
  'read %',
  'written %',
  'cost M',
  'cost ÷ first',
]

/** Who calls: what keeps the prompt small, and who marks it. `own`: the caller marks system and newest message. */
export const CALLERS = [
  { name: 'as it is, no marks', window: LARGE, marks: 'none' },
  { name: "as it is, caller's marks", window: LARGE, marks: 'own' },
  { name: "pruneMessages, caller's marks", window: LARGE, marks: 'own', prune: 'before-last-20-messages' },
  { name: 'palimpsest, no marks', palimpsest: { cache: 'off' }, marks: 'none' },
  { name: 'palimpsest, its marks', palimpsest: { cache: 'auto' }, marks: 'none' },
  { name: "palimpsest, caller's marks", palimpsest: { cache: 'off' }, marks: 'own' },
  { name: 'palimpsest, both', palimpsest: { cache: 'auto' }, marks: 'own' },
]

export async function run({ runs = recordedRuns({ mostSessions: 3 }), window = 100_000, callers = CALLERS } = {}) {
  const played = []
  for (const session of runs) {
    for (const caller of callers) played.push(await play(session, { window, ...caller }))
  }
  const totals = callers.map(({ name }) =>
    total(
      name,
      played.filter((one) => one.caller === name),
    ),
  )
  const rows = [...played, ...(runs.length > 1 ? totals : [])]
  return { columns: COLUMNS, rows: rows.map((one) => rowOf(one, firstOf(rows, one))), played: rows }
}

/** One session from its first call to its last, by one caller. */
export async function play(session, { name, window, marks, palimpsest, prune }) {
  const clock = { now: 0 }
  const lab = await startWirelab({ window, now: () => clock.now, rules: RULES, counter: counted(), bytesLimit: 1e9 })
  const tally = { session: session.name, caller: name, window, ...NOTHING }
  const breaks = prefixBreaks()
  const send = palimpsest === undefined ? fetch : watched({ ...palimpsest, window }, tally)
  try {
    for (const step of session.steps) {
      clock.now = step.at
      const request = pruned(requestAt(session, step), prune)
      await post(send, lab.url, marks === 'own' ? withOwnMarks(request) : request)
      // the simulator keeps every body that it has seen: a long session has gigabytes of them
      for (const call of lab.calls.splice(0)) add(tally, call, breaks)
    }
  } finally {
    await lab.close()
  }
  return tally
}

const NOTHING = { calls: 0, refused: 0, compactions: 0, breaks: 0, input: 0, read: 0, written: 0, reason: undefined }

function watched(options, tally) {
  const onEvent = ({ type }) => {
    if (type === 'compaction-applied') tally.compactions++
  }
  return palimpsestFetch({ ...options, onEvent })
}

async function post(send, url, body) {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'any', 'anthropic-version': '2023-06-01' }
  const call = () => send(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await call().catch((error) => {
    // on a busy machine a kept connection is ended by the time that it is used: nothing of the call was read
    if (error.cause?.code !== 'ECONNRESET') throw error
    return call()
  })
  await response.text()
}

/** Texts repeat from call to call. */
function counted() {
  const known = new Map()
  return (text) => {
    const tokens = known.get(text) ?? estimateText(text, { family: 'claude3' })
    known.set(text, tokens)
    return tokens
  }
}

function add(tally, { purpose, status, message, reason, usage, body }, breaks) {
  if (status !== 200 || usage === undefined) {
    tally.refused++
    tally.reason ??= message ?? reason
    return
  }
  tally.input += usage.input
  tally.read += usage.cacheRead
  tally.written += usage.cacheWrite
  if (purpose !== 'main') return
  tally.calls++
  if (breaks.see(body)) tally.breaks++
}

/** Does a prompt begin with the whole of the one before it? Cache marks are no part of a prompt. */
export function prefixBreaks(format = FORMATS.find(({ name }) => name === 'anthropic-messages')) {
  let before = []
  return {
    see(body) {
      const blocks = format.prompt(body).map(({ text }) => text)
      const isBroken = before.some((text, index) => text !== blocks[index])
      before = blocks
      return isBroken
    },
  }
}

/** What an agent that knows of prompt caching does: marks behind the system prompt and behind the newest message. */
function withOwnMarks({ system, messages, ...rest }) {
  const last = messages.at(-1)
  const content = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content
  return {
    ...rest,
    system: markedLast(system),
    messages: [...messages.slice(0, -1), { ...last, content: markedLast(content) }],
  }
}

function markedLast(blocks) {
  return [...blocks.slice(0, -1), { ...blocks.at(-1), cache_control: { type: 'ephemeral' } }]
}

/** The request as `pruneMessages` of the AI SDK leaves it: its messages are other shapes around the same blocks. */
function pruned(request, toolCalls) {
  if (toolCalls === undefined) return request
  const messages = pruneMessages({
    messages: request.messages.flatMap(asModelMessages),
    toolCalls,
    emptyMessages: 'remove',
  })
  return { ...request, messages: joined(messages.map(asNative)) }
}

function asModelMessages({ role, content }) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const others = blocks.filter(({ type }) => type !== 'tool_result')
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results.map(asPart) }] : []),
    ...(others.length > 0 ? [{ role, content: others.map(asPart) }] : []),
  ]
}

function asPart(block) {
  if (block.type === 'tool_use') return { type: 'tool-call', toolCallId: block.id, toolName: block.name, block }
  if (block.type === 'tool_result') return { type: 'tool-result', toolCallId: block.tool_use_id, toolName: '', block }
  return { type: block.type === 'text' ? 'text' : 'file', text: block.text, block }
}

function asNative({ role, content }) {
  return { role: role === 'tool' ? 'user' : role, content: content.map(({ block }) => block) }
}

/** Messages of one role that now follow each other are one on the wire. */
function joined(messages) {
  const list = []
  for (const { role, content } of messages) {
    const last = list.at(-1)
    if (last?.role === role) last.content = [...last.content, ...content]
    else list.push({ role, content })
  }
  return list
}

function costOf({ input, read, written }) {
  return (input - read - written) * PRICE.plain + written * PRICE.write + read * PRICE.read
}

function total(caller, list) {
  const sum = { session: 'all', caller, window: list[0].window, ...NOTHING }
  for (const one of list) {
    for (const key of ['calls', 'refused', 'compactions', 'breaks', 'input', 'read', 'written']) sum[key] += one[key]
  }
  return sum
}

function firstOf(rows, { session }) {
  return rows.find((one) => one.session === session)
}

function rowOf(one, first) {
  const { session, caller, window, calls, refused, compactions, breaks, input, read, written } = one
  const share = (part) => Math.round((100 * part) / Math.max(1, input))
  const millions = (tokens) => Math.round(tokens / 10_000) / 100
  const ratio = Math.round((1000 * costOf(one)) / costOf(first)) / 1000
  const counts = [calls, refused, compactions, breaks]
  return [
    session,
    caller,
    window,
    ...counts,
    millions(input),
    share(read),
    share(written),
    millions(costOf(one)),
    ratio,
  ]
}
