// A session log beside the checkpointers of LangGraph: what a turn costs, in time and in the size of the database, when the
// session is 10, 50 and 200 turns old. Both play the same made-up turns: a graph of a model and a tools node that replay them, no
// network. LangGraph stores messages of LangChain: by default its whole state after every step, as deltas what is new in it and
// now and then the whole. The log stores the same texts as items of the format of Anthropic, and usage and the begin and end of every
// action beside them. Turns are played by one after the other, so that other work on the machine meets all of them alike.
import { loadavg } from 'node:os'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { END, MessagesAnnotation, MessagesDeltaValue, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { Session } from '@palimpsest/sessions'
import Sqlite from 'libsql'
import { anthropicMessages } from 'palimpsest'
import { agentTurn, entryGroups, MESSAGES_PER_TURN } from './agent-turns.mjs'
import { withDatabases } from './log-databases.mjs'
import { median } from './recorded-runs.mjs'

const TURNS = [10, 50, 200]
/** Turns up to each of them that are measured. */
const WINDOW = 5

export const COLUMNS = [
  'database',
  'turn',
  'who stores',
  'ms a turn',
  'CPU, ms',
  'kB a turn',
  '× the bytes of the messages',
  'compared with',
  'time, ×',
  'CPU, ×',
  'bytes, ×',
]

/** What is new of the messages at each step, and now and then the whole of it. */
const DELTAS = new StateSchema({ messages: MessagesDeltaValue })

/** Ours, and what is like each of them: a name, how it is opened, and the row that it is compared with. */
const SIDES = [
  { name: 'palimpsest, a commit per step', open: keptSession(byStep) },
  { name: 'palimpsest, read anew each turn, a commit per step', open: reopenedSession },
  { name: 'palimpsest, a commit per turn', open: keptSession(byTurn) },
  { name: 'LangGraph, its default', open: graphOf(MessagesAnnotation, 'async'), like: [0, 1] },
  { name: 'LangGraph, durability: exit', open: graphOf(MessagesAnnotation, 'exit'), like: [2] },
  { name: 'LangGraph, MessagesDeltaValue (beta)', open: graphOf(DELTAS, 'async'), like: [0, 1] },
]

/** `only`: the sides whose names begin so, beside ours. */
export async function run({ turns = TURNS, postgres, kinds, only = '' } = {}) {
  const load = loadavg()[0]
  const rows = await withDatabases({ postgres, ...(kinds && { kinds }) }, async ({ name, create }) => {
    const sides = []
    const chosen = SIDES.filter((side) => side.like === undefined || side.name.startsWith(only))
    for (const side of chosen) sides.push(await opened(side, name, await create()))
    try {
      return await measured(name, sides, turns)
    } finally {
      for (const { close, place } of sides) await close().then(place.remove)
    }
  })
  console.log(`Load average: ${load.toFixed(1)} at the beginning, ${loadavg()[0].toFixed(1)} at the end.`)
  return { columns: COLUMNS, rows, load: [load, loadavg()[0]] }
}

async function opened({ name, like, open }, kind, place) {
  return { name, like, place, ...(await open(place, kind)) }
}

/** Plays turns up to the last one that is wanted. */
async function measured(database, sides, wanted) {
  const rows = []
  for (let number = 1; number <= Math.max(...wanted); number++) {
    const ends = wanted.find((turn) => number <= turn && number > turn - WINDOW)
    const turn = agentTurn(number)
    for (const side of sides) await playOne(side, turn, { number, begins: ends !== undefined })
    if (ends === number) rows.push(...(await windowRows(database, sides, number)))
  }
  for (const side of sides) await side.verify(Math.max(...wanted) * MESSAGES_PER_TURN)
  return rows
}

async function playOne(side, turn, { number, begins }) {
  if (begins) side.window ??= { size: await side.place.stored(), bytes: 0, costs: [] }
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  await side.play(turn, number)
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  side.window?.costs.push({ ms, cpu: (user + system) / 1000 })
  if (side.window) side.window.bytes += Buffer.byteLength(JSON.stringify(messagesOf(turn)))
}

async function windowRows(database, sides, number) {
  const seen = []
  for (const { name, like, place, window } of sides) {
    const turns = window.costs.length
    const [ms, cpu] = ['ms', 'cpu'].map((key) => median(window.costs.map((cost) => cost[key])))
    const bytes = ((await place.stored()) - window.size) / turns
    seen.push({ name, like, ms, cpu, bytes, times: bytes / (window.bytes / turns) })
  }
  for (const side of sides) side.window = undefined
  return seen.flatMap((one) =>
    (one.like ?? [undefined]).map((nth) => rowOf(database, number, { one, ours: seen[nth] })),
  )
}

function rowOf(database, turn, { one, ours }) {
  const { name, ms, cpu, bytes, times } = one
  const own = [database, turn, name, r(ms), r(cpu), Math.round(bytes / 1000), r(times)]
  if (ours === undefined) return [...own, '–', '–', '–', '–']
  return [...own, ours.name, ...[ms / ours.ms, cpu / ours.cpu, bytes / ours.bytes].map(r)]
}

/** A process that has the session in memory. */
function keptSession(play) {
  return async (place) => {
    const database = await place.open()
    const session = await Session.create(database.sessions(), 'a', { dialect: anthropicMessages })
    return {
      play: (turn) => session.turn(() => play(session, turn)),
      verify: async (messages) => assertLength(await reread(place), messages),
      close: database.close,
    }
  }
}

/** Any process takes any turn, as with LangGraph: the session is read when the turn begins. */
async function reopenedSession(place) {
  const database = await place.open()
  await Session.create(database.sessions(), 'a', { dialect: anthropicMessages })
  return {
    async play(turn) {
      const session = await Session.open(database.sessions(), 'a')
      await session.turn(async () => {
        await session.view()
        await byStep(session, turn)
      })
    },
    verify: async (messages) => assertLength(await reread(place), messages),
    close: database.close,
  }
}

async function reread(place) {
  const database = await place.open()
  const session = await Session.open(database.sessions(), 'a')
  return session.transcript().finally(database.close)
}

/** `turn()` writes the turn's begin and end itself. */
function groupsOf(session, turn) {
  const [[, question], ...groups] = entryGroups(turn, session.snapshot.length)
  const answer = groups.pop()
  return [[question], ...groups, answer.slice(0, -1)]
}

async function byStep(session, turn) {
  for (const group of groupsOf(session, turn)) {
    session.add(...group)
    await session.commit()
  }
}

async function byTurn(session, turn) {
  session.add(...groupsOf(session, turn).flat())
}

function graphOf(State, durability) {
  return async (place, kind) => {
    const { checkpointer, close } = await saverOf(place, kind)
    const replay = []
    const next = () => ({ messages: [replay.shift()] })
    const afterModel = ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'tools' : END)
    const graph = new StateGraph(State)
      .addNode('model', next)
      .addNode('tools', next)
      .addEdge(START, 'model')
      .addConditionalEdges('model', afterModel, ['tools', END])
      .addEdge('tools', 'model')
      .compile({ checkpointer })
    const thread = { configurable: { thread_id: 'a' } }
    return {
      async play(turn) {
        const [question, ...rest] = messagesOf(turn).map(langchainMessage)
        replay.push(...rest)
        await graph.invoke({ messages: [question] }, { ...thread, durability, recursionLimit: 100 })
      },
      verify: async (messages) => assertLength((await graph.getState(thread)).values.messages, messages),
      close,
    }
  }
}

async function saverOf({ url }, kind) {
  if (kind === 'SQLite') {
    const file = new Sqlite(url)
    return { checkpointer: new SqliteSaver(file), close: async () => void file.close() }
  }
  const checkpointer = PostgresSaver.fromConnString(url)
  await checkpointer.setup()
  return { checkpointer, close: () => checkpointer.end() }
}

/** The items of a turn, in Anthropic's format. */
function messagesOf(turn) {
  return entryGroups(turn, 0)
    .flat()
    .flatMap(({ item }) => (item === undefined ? [] : [item]))
}

function langchainMessage({ role, content }) {
  const [first, call] = typeof content === 'string' ? [{ text: content }] : content
  if (first.type === 'tool_result') return new ToolMessage({ tool_call_id: first.tool_use_id, content: first.content })
  if (role === 'user') return new HumanMessage(first.text)
  const calls = call === undefined ? [] : [{ id: call.id, name: call.name, args: call.input, type: 'tool_call' }]
  return new AIMessage({ content: first.text, tool_calls: calls })
}

function assertLength({ length }, expected) {
  if (length !== expected) throw new Error(`${length} messages are stored, not ${expected}.`)
}

function r(value) {
  return Math.round(value * 100) / 100
}
