import { detectDialect } from 'palimpsest'
import { beforeEach, describe, expect, it } from 'vitest'
import { importSessionText } from '../importers/import-session.ts'
import { chainEntries } from '../log/entry-chain.ts'
import { memorySessions } from '../log/memory-sessions.ts'
import { modelSays, toolCall, toolResult, userSays } from '../log/session.test-data.ts'
import type { SessionStore } from '../log/session-store.ts'
import { sessionFaults } from './session-faults.ts'
import { storeImport } from './store-import.ts'
import { readWholeSession } from './whole-session.ts'

let store: SessionStore
beforeEach(() => {
  store = memorySessions().open()
})

/** A question, this many calls with their results, an answer, and another question. */
function conversation(calls: number): readonly object[] {
  const steps = Array.from({ length: calls }, (_, n) => [
    toolCall(`toolu_${n}`, { path: `src/quay-${n}.ts` }),
    toolResult(`toolu_${n}`, `berth ${n} holds ${(n * 37) % 97} boats`),
  ])
  return [
    userSays('Where are berths of the harbour counted?'),
    ...steps.flat(),
    modelSays('In these files.'),
    userSays('Which one is to be changed first?'),
  ]
}

/** A request body with these messages. */
function imported(messages: readonly unknown[]) {
  const recognise = (body: unknown) => detectDialect(body)?.name
  return importSessionText(JSON.stringify({ ...FRAME, messages }), { recognise })
}

async function put(messages: readonly unknown[], id?: string) {
  return storeImport(store, imported(messages), { id, at: Date.UTC(2026, 0, 14) })
}

async function transcript(id: string): Promise<readonly unknown[]> {
  const { path } = await readWholeSession(store, id)
  return path.messages.map(({ item }) => item)
}

async function faultsOf(id: string) {
  const summary = await store.find(id)
  if (summary === undefined) throw new Error(`Nothing is stored as ${id}.`)
  return sessionFaults({ summary, entries: await store.read(id), namespace: undefined })
}

const FRAME = { model: 'claude-sonnet-4-5', max_tokens: 4_096, system: 'You work on the harbour service.' }
const messages = conversation(6)

describe('an import', () => {
  it('keeps the whole transcript, and the request around it', async () => {
    const { id, outcome } = await put(messages)
    expect([id, outcome]).toEqual([expect.stringMatching(/^request-[0-9a-f]{12}$/), 'new'])
    expect(await transcript(id)).toEqual(messages)
    const { snapshot, entries } = await readWholeSession(store, id)
    expect(entries[0]?.at).toBe(Date.UTC(2026, 0, 14))
    expect(snapshot.started).toMatchObject({
      dialect: 'anthropic-messages',
      frame: { system: expect.stringContaining('harbour'), messages: [] },
    })
    expect(await faultsOf(id)).toEqual([])
  })

  it('of the same again changes nothing, nor does an older state of it', async () => {
    const { id } = await put(messages)
    const before = await store.read(id)
    expect(await put(messages)).toEqual({ id, outcome: 'same', appended: 0 })
    expect(await put(messages.slice(0, 5))).toEqual({ id, outcome: 'same', appended: 0 })
    expect(await store.read(id)).toEqual(before)
  })

  it('of an older state changes nothing, where the client told the use of a call later than its answer', async () => {
    const usage = { input: 900, cacheRead: 0, cacheWrite: 0, output: 20 }
    const older = imported(messages.slice(0, -2))
    const answer = messages.length - 6
    const newer = { ...imported(messages), calls: [{ position: answer, usage }] }
    const at = Date.UTC(2026, 0, 14)
    const { id } = await storeImport(store, older, { id: 'late', at })
    expect(await storeImport(store, newer, { id, at })).toMatchObject({ outcome: 'grown' })
    expect(await storeImport(store, older, { id, at })).toEqual({ id, outcome: 'same', appended: 0 })
    expect(await transcript(id)).toEqual(messages)
    // of equal messages the one that tells more is the newer one
    const corrected = { ...newer, calls: [{ position: answer, usage: { ...usage, output: 25 } }] }
    expect((await storeImport(store, corrected, { id, at })).appended).toBeGreaterThan(0)
    expect((await storeImport(store, newer, { id, at })).outcome).not.toBe('same')
    expect(await faultsOf(id)).toEqual([])
  })

  it('of what has grown appends what came since', async () => {
    const { id } = await put(messages.slice(0, 5))
    expect(await put(messages)).toEqual({ id, outcome: 'grown', appended: messages.length - 5 })
    expect(await transcript(id)).toEqual(messages)
  })

  it('takes the newest message anew where only a part of it had been written', async () => {
    const part = { role: 'assistant', content: 'I have' }
    const { id } = await put([...messages.slice(0, 5), part])
    const whole = [...messages.slice(0, 5), { role: 'assistant', content: 'I have read all.' }, ...messages.slice(5, 7)]
    expect(await put(whole, id)).toMatchObject({ id, outcome: 'grown' })
    expect(await put([...messages.slice(0, 5), part], id)).toMatchObject({ outcome: 'same' })
    expect(await transcript(id)).toEqual(whole)
  })

  it('of a conversation that went another way goes back to where they part; nothing leaves the log', async () => {
    const { id } = await put(messages, 'one')
    const other = [...messages.slice(0, 3), ...conversation(1).slice(-2)]
    expect(await put(other, 'one')).toMatchObject({ id, outcome: 'changed', appended: 3 })
    expect(await transcript(id)).toEqual(other)
    const entries = await store.read(id)
    expect(entries.filter(({ type }) => type === 'message-appended')).toHaveLength(messages.length + 2)
    expect(entries.at(-1)?.type).toBe('checkpoint')
    // and back again
    expect(await put(messages, 'one')).toMatchObject({ outcome: 'changed' })
    expect(await transcript(id)).toEqual(messages)
    expect(await faultsOf(id)).toEqual([])
  })

  it('of two conversations that begin alike makes two sessions', async () => {
    const other = [...messages.slice(0, 1), { role: 'assistant', content: 'No.' }, { role: 'user', content: 'Why?' }]
    const one = await put(messages)
    const two = await put(other)
    expect(two.id).toMatch(new RegExp(`^${one.id}-[0-9a-f]{12}$`))
    expect((await put(other)).outcome).toBe('same')
    expect((await put([...other, { role: 'assistant', content: 'So.' }])).id).toBe(two.id)
    expect(await transcript(one.id)).toEqual(messages)
  })

  it('does not take a session back that went on here', async () => {
    const { id } = await put(messages)
    const head = await store.head(id)
    await store.append(
      id,
      chainEntries([{ type: 'display-segment', role: 'notice', text: 'Gone on.' }], { after: head, at: 1 }),
    )
    expect(await put(messages)).toMatchObject({ outcome: 'same' })
    await expect(put([...messages, { role: 'assistant', content: 'More.' }], id)).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining('--id'),
    })
  })
})
