import { readFileSync } from 'node:fs'
import { DEFAULT_PRESET, dialectByName, openaiChat, profileSession } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { type CorpusFile, corpusFiles, hasCorpus } from './corpus.test-data.ts'
import type { ImportedSession } from './imported-session.ts'
import { fieldsOf, listOf } from './json-fields.ts'
import { readSessionFile } from './read-session-file.ts'
import { skippedCounts } from './session-text.test-data.ts'

type Fields = Record<string, unknown>

/** file | items, calls, results, model calls | messages that the client wrote | skipped, by reason */
const GOLDEN: readonly (readonly [string, string])[] = [
  // Both calls and results are texts here; the index takes each command for a call.
  ['SWE-agent-SWE-agent-ctf-web-i_got_id_demo.traj', '43 0 0 21 | 20 | -'],
  ['WE-agent-gpt4__swe-bench-dev-easy_first_only__default-pydicom__pydicom-1458.traj', '26 0 0 12 | 12 | -'],
  ['agent-mm1867-function_calling__install-1-marshmallow-code__marshmallow-1867.traj', '24 11 11 11 | 0 | -'],
  // One of 50 answers is not recorded: its call was refused before it became an event, the refusal is a message.
  ['OpenHands-OpenHands-multi_swe_bench-ponylang__ponyc-4588.json', '101 49 49 49 | 1 | client record 2'],
  ['sierra-research-tau-bench-gpt-4o-airline-task33-trial0.json', '62 23 23 30 | 0 | -'],
  ['sierra-research-tau-bench-gpt-4o-airline-task9-trial2.json', '62 23 23 30 | 0 | -'],
]

describe.skipIf(!hasCorpus)('recorded runs (skipped: the corpus is absent)', () => {
  const files = ['swe-agent', 'openhands', 'tau-bench'].flatMap(corpusFiles)
  const named = (folder: string) => corpusFiles(folder).map((file) => [nameOf(file), file] as const)

  test('the golden table names every file', () => {
    expect(files.map(nameOf).toSorted()).toEqual(GOLDEN.map(([name]) => name).toSorted())
  })

  describe.each(files.map((file) => [nameOf(file), file] as const))('%s', (name, file) => {
    test('has its golden counts', async () => {
      const session = await readSessionFile(file.path)
      expect(session.format).toBe(file.name.split('/')[0])
      expect(row(session)).toBe(new Map(GOLDEN).get(name))
    })

    test('is legal as a request, and can be profiled', async () => {
      const session = await readSessionFile(file.path)
      const items = session.items.map(({ item }) => item as object)
      const { system, items: rest } = openaiChat.open({ messages: items as never })
      expect(openaiChat.check({ system, items: rest })).toEqual([])
      const options = { preset: DEFAULT_PRESET, overhead: 0, scale: 1, window: 20_000 }
      const profile = profileSession(dialectByName(session.dialect), { ...session, items }, options)
      expect(profile.steps).toHaveLength(session.calls.length)
    })
  })

  test.each(named('swe-agent'))('%s has each message of its history, as it was sent', async (_name, file) => {
    const { items } = await readSessionFile(file.path)
    const history = listOf(documentOf(file).history).map(fieldsOf)
    expect(items.map(({ item }) => said(item as Fields))).toEqual(history.map(said))
    const demonstrations = history.filter(({ is_demo: isDemonstration }) => isDemonstration === true)
    expect(demonstrations).toHaveLength(Number(file.notes.get('demo_msgs') ?? 0))
    // What the user says is the issue, and nothing else.
    const users = items.filter(({ item, injected }) => fieldsOf(item).role === 'user' && injected !== true)
    expect(users).toHaveLength(1)
  })

  test.each(named('tau-bench'))('%s is its messages, ids that repeat among them', async (_name, file) => {
    const { items } = await readSessionFile(file.path)
    expect(items.map(({ item }) => item)).toEqual(documentOf(file).traj)
    const ids = items.flatMap(({ item }) => listOf(fieldsOf(item).tool_calls).map((call) => fieldsOf(call).id))
    expect(ids.length - new Set(ids).size).toBe(Number(file.notes.get('dup_call_id')))
  })

  test.each(named('openhands'))('%s has the answers and usage of its model', async (_name, file) => {
    const session = await readSessionFile(file.path)
    const { history, metrics } = documentOf(file)
    const recorded = listOf(fieldsOf(metrics).token_usages).map(fieldsOf)
    const usages = session.calls.map(({ usage }) => [usage?.input, usage?.output])
    const known = new Set(recorded.map(({ prompt_tokens: input, completion_tokens: output }) => `${input} ${output}`))
    expect(usages.every(([input, output]) => known.has(`${input} ${output}`))).toBe(true)
    const results = session.items.filter(({ item }) => fieldsOf(item).role === 'tool')
    const texts = results.map(({ item }) => String(fieldsOf(item).content))
    const seen = listOf(history)
      .map(fieldsOf)
      .filter((event) => 'tool_call_metadata' in event && 'observation' in event)
    expect(texts).toHaveLength(seen.length)
    for (const [at, event] of seen.entries()) expect(texts[at]).toContain(event.content)
    expect(JSON.stringify(session)).not.toContain('api_key')
  })
})

function row(session: ImportedSession): string {
  const items = session.items.map(({ item }) => fieldsOf(item))
  const calls = items.flatMap((item) => listOf(item.tool_calls)).length
  const results = items.filter(({ role }) => role === 'tool').length
  const injected = session.items.filter((item) => item.injected === true).length
  const skipped = Object.entries(skippedCounts(session)).map(([reason, count]) => `${reason} ${count}`)
  return [[items.length, calls, results, session.calls.length].join(' '), injected, skipped.join(', ') || '-'].join(
    ' | ',
  )
}

function said({ role, content, tool_calls: calls, tool_call_id: id, tool_call_ids: ids }: Fields): unknown {
  return [role, content, calls ?? null, id ?? listOf(ids)[0] ?? null]
}

function documentOf({ path }: CorpusFile): Fields {
  return JSON.parse(readFileSync(path, 'utf8')) as Fields
}

function nameOf({ name }: CorpusFile): string {
  return name.split('/')[1] ?? ''
}
