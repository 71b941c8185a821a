// A loop of your own whose session is kept in a database: ended at any point, it goes on where it was. Wants ANTHROPIC_API_KEY;
// ANTHROPIC_BASE_URL names another server, PALIMPSEST_STORE another database: a file, or postgres://USER@HOST/DATABASE.
import { Session } from '@palimpsest/sessions'
import { openDatabase } from '@palimpsest/sessions/database'
import { anthropicMessages, createCompactor } from 'palimpsest'
import { READ_FILE, readFile, report, TASK } from './reading.mjs'

const ID = 'reading'
const MODEL = 'claude-sonnet-5'
const tools = [{ name: READ_FILE.name, description: READ_FILE.description, input_schema: READ_FILE.parameters }]
const frame = { model: MODEL, max_tokens: 2_000, tools } // the request without its messages

const database = await openDatabase(process.env.PALIMPSEST_STORE ?? '.palimpsest/examples/sessions.db')
const store = database.sessions()
const compactor = createCompactor({
  dialect: anthropicMessages,
  window: 32_000,
  stores: database.stores, // compactions, what they evicted, and limits: in the same database
  onEvent: report,
})

const session = (await store.find(ID))
  ? await Session.open(store, ID)
  : await Session.create(store, ID, { dialect: anthropicMessages, model: MODEL, title: 'Reading', frame })

// Alone among all processes; what one that was killed left open is settled first.
await session.turn(async () => {
  const before = await session.transcript()
  if (before.at(-1)?.role !== 'user') session.appendItems([{ role: 'user', content: before.length ? 'Again.' : TASK }])
  for (let step = 1; ; step++) {
    const { content } = await ask()
    session.appendItems([{ role: 'assistant', content }])
    const calls = content.filter((block) => block.type === 'tool_use')
    if (calls.length === 0) {
      console.log(`${content.map(({ text }) => text).join('')}\ndone after ${step} steps`)
      return
    }
    await session.commit() // the calls are known before they run
    const results = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: readFile(input) }))
    session.appendItems([{ role: 'user', content: results }])
    await session.commit()
  }
})
await database.close()

/** One call of the model, with the whole transcript; what is sent of it is the compactor's business. */
async function ask() {
  const body = { ...frame, messages: await session.transcript() }
  let prepared = await compactor.prepare(body, session.forCompactor)
  for (;;) {
    const answer = await send(prepared.request)
    const overflow = answer.ok ? prepared.observe(answer.body) : undefined
    if (answer.ok && overflow === undefined) {
      prepared.done()
      if (prepared.record !== undefined) session.applyCompaction(prepared.record) // its plan is the session's view now
      const usage = anthropicMessages.usage(answer.body)
      session.recordUsage({ purpose: 'chat', usage, model: MODEL, learned: prepared.learned() })
      return answer.body
    }
    const next = answer.ok ? await prepared.recoverFrom(overflow) : await prepared.recover(answer)
    if (next === undefined) throw new Error(answer.body.error?.message) // not an overflow: yours to handle
    prepared = next
  }
}

async function send(body) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com'}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': process.env.ANTHROPIC_API_KEY ?? '',
    },
    body: JSON.stringify(body),
  })
  return { ok: response.ok, status: response.status, body: await response.json() }
}
