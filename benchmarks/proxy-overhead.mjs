// What the proxy adds to a call: time to the first byte and processor time, beside a bare proxy that only passes bytes on,
// for growing conversations; memory of long streams; and how many streams pass at once. The upstream, both proxies and the
// client run in this process and on loopback, so that what they share falls out of the differences. Both proxies get every
// request, in turns; medians count.
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import { loadavg } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { textTable } from '../scripts/text-table.mjs'
import { generatedRun, median, requestAt } from './recorded-runs.mjs'

const PROXY = '../packages/cli/dist/proxy/index.js'
const SIZES = [10_000, 100_000, 900_000]
const STEPS = 25
/** Roughly, of the text that is made up here. */
const CHARACTERS_PER_TOKEN = 3.4
const CHARACTERS_EACH = 6_000
/** What the measured steps add to the history each. */
const CHARACTERS_ADDED = 400
/** Tokens of system prompt, tools and answer, for which a window has room too. */
const ENVELOPE = 14_000
/** What the proxy may add: a millisecond, and five for every megabyte of the body. */
const goal = (megabytes) => 1 + 5 * megabytes
const LONG_STREAMS = [16, 128]
const PARALLEL = 64

export const COLUMNS = [
  'history, tokens',
  'body MB',
  'what happens',
  'first byte bare ms',
  'first byte palimpsest ms',
  'added ms',
  'CPU bare ms',
  'CPU palimpsest ms',
  'added CPU ms',
  'goal ms',
  'reached',
]

export async function run({ sizes = SIZES, steps = STEPS } = {}) {
  const upstream = await startUpstream()
  const load = [loadavg()[0]]
  try {
    const latency = []
    await latencyAt(sizes[0], upstream, 3 * steps) // pays for compiling
    for (const tokens of sizes) latency.push(...(await latencyAt(tokens, upstream, steps)))
    const memory = await streamMemory(upstream)
    const throughput = await parallelStreams(upstream)
    load.push(loadavg()[0])
    console.log(`${textTable(MEMORY_COLUMNS, memory)}\n\n${textTable(PARALLEL_COLUMNS, throughput)}\n`)
    console.log(`Load average: ${load.map((one) => one.toFixed(1)).join(' at the beginning, ')} at the end.`)
    return { columns: COLUMNS, rows: latency, memory, throughput, load }
  } finally {
    upstream.close()
  }
}

/** What is sent where: nothing to compact; and a compaction in force, so that every body is written anew. */
async function latencyAt(tokens, upstream, steps) {
  const calls = Math.ceil((tokens * CHARACTERS_PER_TOKEN) / CHARACTERS_EACH)
  const charactersOf = (call) => (call <= calls ? CHARACTERS_EACH : CHARACTERS_ADDED)
  const session = generatedRun({ calls: calls + steps + 1, charactersOf })
  const bodies = session.steps.slice(calls).map((step) => JSON.stringify(requestAt(session, step)))
  const idle = await compare(bodies, upstream, 4_000_000)
  const compacted = await compare(bodies, upstream, Math.round(0.8 * (tokens + ENVELOPE)))
  return [
    rowOf(tokens, bodies, 'nothing to compact', idle.warm),
    rowOf(tokens, bodies, 'compacted view', compacted.warm),
    rowOf(tokens, bodies, 'first sight of it', { bare: [idle.first.bare], palimpsest: [idle.first.palimpsest] }),
  ]
}

/** The same bodies through both proxies, in turns. The first is apart: there the whole history is new. */
async function compare(bodies, upstream, window) {
  const proxies = await startProxies(upstream, window)
  try {
    const warm = { bare: [], palimpsest: [] }
    let first
    for (const body of bodies) {
      const bare = await timed(proxies.bare.url, body)
      const palimpsest = await timed(proxies.palimpsest.url, body)
      if (first === undefined) first = { bare, palimpsest }
      else {
        warm.bare.push(bare)
        warm.palimpsest.push(palimpsest)
      }
    }
    return { first, warm }
  } finally {
    await proxies.close()
  }
}

function rowOf(tokens, bodies, title, { bare, palimpsest }) {
  const megabytes = Buffer.byteLength(bodies[0]) / 1e6
  const of = (list, key) => median(list.map((one) => one[key]))
  const added = median(palimpsest.map(({ first }, at) => first - bare[at].first))
  const addedCpu = median(palimpsest.map(({ cpu }, at) => cpu - bare[at].cpu))
  const times = [of(bare, 'first'), of(palimpsest, 'first'), added, of(bare, 'cpu'), of(palimpsest, 'cpu'), addedCpu]
  const most = goal(megabytes)
  const isReached = title === 'first sight of it' ? '-' : addedCpu <= most ? 'yes' : 'no'
  return [tokens, rounded(megabytes), title, ...times.map(rounded), rounded(most), isReached]
}

async function startProxies(upstream, window) {
  const { startProxy } = await import(PROXY)
  const bare = await startBareProxy(upstream.url)
  const palimpsest = await startProxy({
    upstreams: [upstream.url],
    exchange: { window, summarizer: 'extractive' },
  })
  return { bare, palimpsest, close: () => Promise.all([bare.close(), palimpsest.close()]) }
}

/** Head and bytes of both directions, passed on as they come. */
async function startBareProxy(target) {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const sent = httpRequest({ hostname, port, method, path, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(sent)
  })
  const url = await listen(server)
  return {
    url,
    close: () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** An upstream that reads all of a request, and streams a short answer, or one of the asked-for megabytes or events. */
async function startUpstream() {
  const server = createServer(async (incoming, outgoing) => {
    incoming.resume()
    await once(incoming, 'end')
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(OPENING)
    const events = Number(incoming.headers['x-events'] ?? 1)
    for (let event = 0; event < events; event++) {
      const isFull = !outgoing.write(incoming.headers['x-large'] === undefined ? DELTA : LARGE_DELTA)
      if (isFull) await once(outgoing, 'drain')
      else if (event % 16 === 15) await new Promise(setImmediate)
    }
    outgoing.end(END)
  })
  const url = await listen(server)
  return { url, close: () => server.close() }
}

async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

const sse = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const delta = (text) => sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
const OPENING =
  sse({ type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 1 } } }) +
  sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const DELTA = delta('The fault is found. ')
const LARGE_DELTA = delta('The fault is found. '.repeat(800))
const END =
  sse({ type: 'content_block_stop', index: 0 }) +
  sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }) +
  sse({ type: 'message_stop' })

const client = new Agent({ keepAlive: true })

/** Milliseconds to the first byte of the answer's body, and of processor time until its end. */
async function timed(url, body) {
  const bytes = Buffer.from(body)
  await new Promise(setImmediate)
  const cpu = process.cpuUsage()
  const start = performance.now()
  const answer = await post(url, bytes)
  const end = once(answer, 'end')
  await once(answer, 'data')
  const first = performance.now() - start
  await end
  const { user, system } = process.cpuUsage(cpu)
  return { first, cpu: (user + system) / 1000 }
}

async function post(url, bytes, headers = {}) {
  const { hostname, port } = new URL(url)
  const sent = httpRequest({
    hostname,
    port,
    path: '/v1/messages',
    method: 'POST',
    agent: client,
    headers: { 'content-type': 'application/json', 'x-api-key': 'any', 'content-length': bytes.length, ...headers },
  })
  sent.end(bytes)
  const [answer] = await once(sent, 'response')
  if (answer.statusCode !== 200) throw new Error(`Status ${answer.statusCode}.`)
  return answer
}

const MEMORY_COLUMNS = ['stream, MB', 'proxy', 'heap and buffers at most, MB above the start']

/** A slow reader takes streams of growing length: what is held at most must not grow with them. */
async function streamMemory(upstream) {
  const proxies = await startProxies(upstream, 4_000_000)
  const body = Buffer.from(bodyOf(generatedRun({ calls: 4 })))
  const rows = []
  try {
    for (const name of ['bare', 'palimpsest']) {
      await peakOf(proxies[name].url, body, 1)
      for (const megabytes of LONG_STREAMS)
        rows.push([megabytes, name, rounded(await peakOf(proxies[name].url, body, megabytes))])
    }
    return rows
  } finally {
    await proxies.close()
  }
}

async function peakOf(url, body, megabytes) {
  const start = held()
  const events = Math.ceil((megabytes * 1e6) / LARGE_DELTA.length)
  const answer = await post(url, body, { 'x-events': String(events), 'x-large': '1' })
  let peak = 0
  let bytes = 0
  for await (const piece of answer) {
    const before = Math.floor(bytes / 2e6)
    bytes += piece.length
    if (Math.floor(bytes / 2e6) > before) peak = Math.max(peak, held() - start)
  }
  if (bytes < megabytes * 1e6) throw new Error(`Only ${bytes} bytes came.`)
  return peak
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Megabytes that are in use and not only waiting to be collected. */
function held() {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

function bodyOf(session) {
  return JSON.stringify(requestAt(session, session.steps.at(-1)))
}

const PARALLEL_COLUMNS = [
  'streams at once',
  'proxy',
  'events each',
  'streams/s',
  'events/s',
  'CPU ms a stream',
  '× bare',
]

/** So many clients at once, each with a conversation of its own of 10,000 tokens and an answer of 400 events. */
async function parallelStreams(upstream, { rounds = 5, events = 400 } = {}) {
  const proxies = await startProxies(upstream, 200_000)
  const bodies = Array.from({ length: PARALLEL }, (_, client) => Buffer.from(ownBody(client)))
  const times = { bare: [], palimpsest: [] }
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const name of ['bare', 'palimpsest']) {
        const time = await allAtOnce(proxies[name].url, bodies, events)
        if (round > 0) times[name].push(time) // the first run pays for compiling, and sees the conversations for the first time
      }
    }
  } finally {
    await proxies.close()
  }
  const cpu = (name) => median(times[name].map((one) => one.cpu)) / PARALLEL
  return ['bare', 'palimpsest'].map((name) => {
    const perSecond = (1000 * PARALLEL) / median(times[name].map(({ clock }) => clock))
    const shown = [Math.round(perSecond), Math.round(perSecond * events), rounded(cpu(name))]
    return [PARALLEL, name, events, ...shown, rounded(cpu(name) / cpu('bare'))]
  })
}

function ownBody(client) {
  const session = generatedRun({ calls: 7 })
  return bodyOf({ ...session, items: [{ role: 'user', content: `Task ${client}` }, ...session.items.slice(1)] })
}

async function allAtOnce(url, bodies, events) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await Promise.all(
    bodies.map(async (body) => {
      const answer = await post(url, body, { 'x-events': String(events) })
      answer.resume()
      await once(answer, 'end')
    }),
  )
  const clock = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { clock, cpu: (user + system) / 1000 }
}

function rounded(value) {
  return Math.round(value * 100) / 100
}
