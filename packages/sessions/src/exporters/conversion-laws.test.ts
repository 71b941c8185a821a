import fc from 'fast-check'
import { type Dialect, dialectByName } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { PNG, type Script, SPEAKERS, scripts } from './dialect-scripts.test-data.ts'
import { exportSession } from './export-session.ts'
import type { ExportedSession, ExportFormat } from './exported-session.ts'

const NAMES = Object.keys(SPEAKERS) as Extract<ExportFormat, keyof typeof SPEAKERS>[]

/** A session as a log has it: the items, and the frame that they stood in. */
function sessionIn(name: string, script: Script): ExportedSession {
  const dialect = dialectByName(name)
  const request = SPEAKERS[name]?.(script)
  const conversation = dialect.open(request)
  expect(dialect.check(conversation)).toEqual([])
  return {
    id: 's',
    dialect: name,
    items: conversation.items.map((item) => ({ item })),
    frame: dialect.close(request, { ...conversation, items: [] }),
    createdAt: 0,
    calls: [],
    compactions: [],
  }
}

/** What a request says, read through the lens of its own dialect: nothing of the exporter is in it. */
function saidIn(dialect: Dialect<unknown, object>, body: unknown) {
  const parts = dialect.open(body).items.flatMap((item) => {
    const { role, parts } = dialect.view(item)
    return parts.map((part) => ({ role, part }))
  })
  const texts = (role: string) =>
    parts.flatMap(({ role: own, part }) => (own === role && part.kind === 'text' ? [part.text()] : []))
  const calls = parts.flatMap(({ part }) => (part.kind === 'tool-call' ? [part] : []))
  const results = parts.flatMap(({ part }) => (part.kind === 'tool-result' ? [part] : []))
  return {
    user: texts('user'),
    assistant: texts('assistant'),
    pictures: parts.filter(({ part }) => part.kind === 'image').length,
    args: calls.map((part) => JSON.parse(part.text())),
    results: results.map((part) => part.text()),
    ids: calls.map(({ callId }) => callId),
    answered: results.map(({ callId }) => callId),
  }
}

function expected({ turns }: Script) {
  const steps = turns.flatMap((turn) => turn.steps)
  const calls = steps.flatMap((step) => step.calls)
  return {
    user: turns.map(({ user }) => user),
    assistant: turns.flatMap((turn) => [
      ...turn.steps.flatMap(({ said }) => said ?? []),
      ...[turn.answer ?? []].flat(),
    ]),
    pictures: turns.filter(({ picture }) => picture).length,
    args: calls.map(({ args }) => JSON.parse(JSON.stringify(args))),
    results: calls.map(({ result }) => result),
  }
}

describe.each(NAMES)('from %s', (from) => {
  test.each(NAMES)('to %s: every word, call, result and picture arrives, and the target takes it', (to) => {
    const dialect = dialectByName(to)
    fc.assert(
      fc.property(scripts, (script) => {
        const { text } = exportSession(sessionIn(from, script), to)
        const body = JSON.parse(text) as unknown
        expect(dialect.check(dialect.open(body))).toEqual([])
        const { ids, answered, ...said } = saidIn(dialect, body)
        const user = said.user.filter((words) => !ADDED.has(words))
        expect({ ...said, user, results: said.results.map(unwrapped) }).toEqual(expected(script))
        if (ids.every((id) => id !== undefined)) expect(answered).toEqual(ids)
        expect(text.split(PNG)).toHaveLength(said.pictures + 1)
      }),
      { numRuns: 25 },
    )
  })
})

/** What formats need that a conversation may not have; Bedrock's own ends with the user. */
const ADDED: ReadonlySet<string> = new Set(['Continue.', 'go on'])

/** Gemini's responses are objects: the text that one holds. */
function unwrapped(result: string): string {
  if (!/^\{"(?:output|error)":/.test(result)) return result
  const { output, error } = JSON.parse(result) as { readonly output?: string; readonly error?: string }
  return output ?? error ?? ''
}

test.each(NAMES)('the result of a failed call is told as failed wherever %s says so and the target can', (from) => {
  const script: Script = {
    system: undefined,
    turns: [
      {
        user: 'go',
        picture: false,
        steps: [{ said: undefined, calls: [{ id: 'a', args: {}, result: 'broken', failed: true }] }],
        answer: 'so',
      },
    ],
  }
  const says = !['openai-chat', 'openai-responses', 'openai-codex'].includes(from)
  for (const to of NAMES) {
    const { text, losses } = exportSession(sessionIn(from, script), to)
    const flag = /"is_error":true|"status":"error"|"type":"error-text"|\{"error":"broken"\}/.test(text)
    const lost = losses.some(({ what }) => what.startsWith('error flag'))
    expect([to, flag || lost]).toEqual([to, says])
  }
})
