import { readFileSync, statSync } from 'node:fs'
import { DEFAULT_PRESET, dialectByName, profileSession } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { type CorpusFile, corpusFiles, hasCorpus, rawRecords } from './corpus.test-data.ts'
import type { ImportedSession } from './imported-session.ts'
import { readSessionFile } from './read-session-file.ts'
import { skippedCounts } from './session-text.test-data.ts'

type Fields = Record<string, unknown>
interface Message {
  readonly role: string
  readonly content: string | readonly Fields[]
}

/** file | dialect | items, calls, results, model calls | compactions | lines skipped, by reason */
const GOLDEN: readonly (readonly [string, string])[] = [
  [
    'claude-code/entireio-cli-25-730c6625',
    'anthropic-messages | 344 220 220 169 | micro auto @138, summary auto @138, micro auto @250, summary auto @250 | client record 316',
  ],
  [
    'claude-code/entireio-cli-fc-99c919b2',
    'anthropic-messages | 276 127 126 134 | summary auto @233 | client record 360',
  ],
  ['claude-code/entireio-cli-e5-77a6f399', 'anthropic-messages | 138 62 62 69 | - | client record 50'],
  [
    'claude-code/entireio-git-sync-6a-100',
    'anthropic-messages | 557 340 340 276 | - | abandoned branch 2, attachment 111, client record 80',
  ],
  [
    'claude-code/gmeligio-flutter-docker-',
    'anthropic-messages | 684 336 335 332 | summary manual @410 kept 409, summary manual @610 kept 609 | abandoned branch 2, attachment 230, client record 566',
  ],
  ['claude-code/d-kimuson-claude-code-vi', 'anthropic-messages | 19 11 11 9 | - | client record 1, sidechain 405'],
  ['claude-code/entireio-cli-dc-49cb8a2a', 'anthropic-messages | 6 4 4 3 | - | client record 1'],
  ['claude-code/entireio-cli-6c-3e737677', 'anthropic-messages | 10 6 6 5 | - | client record 7'],
  [
    'claude-code/entireio-cli-5e-5207b424',
    'anthropic-messages | 498 243 243 248 | summary auto @173, summary auto @389 | client record 63',
  ],
  [
    'claude-code/entireio-cli-b6-f735fbac',
    'anthropic-messages | 441 224 224 219 | summary auto @250, summary auto @420 | abandoned branch 2, client record 38',
  ],
  [
    'claude-code/teslamint-entirecontext-',
    'anthropic-messages | 312 188 188 147 | summary manual @79 kept 78, summary manual @187 kept 186 | abandoned branch 2, attachment 642, client record 212',
  ],
  [
    'codex-rollout/jdx-mise-7e-fc20505ef2-0',
    'openai-responses | 1642 540 540 337 | opaque unknown @564, opaque unknown @1177, opaque unknown @1572 | event 385',
  ],
  [
    'codex-rollout/jdx-mise-8c-2b5cda2429-0',
    'openai-responses | 1118 374 373 380 | summary unknown @586, summary unknown @1036 | client record 4, event 196',
  ],
  ['codex-rollout/jdx-mise-0a-109fb7a3ed-0', 'openai-responses | 73 21 21 13 | - | event 16'],
  ['codex-rollout/entireio-git-sync-1f-941', 'openai-responses | 625 206 202 120 | summary unknown @516 | event 144'],
  ['codex-rollout/wski-agentcmd-rollout-20', 'openai-responses | 54 16 16 18 | - | event 21'],
  ['codex-rollout/jdx-fnox-3c-7aecb0ec0e-0', 'openai-responses | 568 189 185 101 | opaque unknown @488 | event 136'],
  [
    'codex-rollout/jazzyalex-agent-sessions',
    'openai-responses | 20 7 5 1 | summary unknown @10, summary unknown @13, summary unknown @14, summary unknown @14, summary unknown @14, summary unknown @17 | client record 7, duplicate result 1, event 65',
  ],
  [
    'pi-session/badlogic-pi-mono-before-',
    'anthropic-messages | 962 454 448 471 | summary unknown @344 kept 278, summary unknown @598 kept 521 | aborted answer 13',
  ],
  ['pi-session/MandavkarPranjal-prsui-a', 'anthropic-messages | 62 48 48 31 | - | -'],
  ['gemini-cli/jnarowski-agentcmd-sessi', 'gemini | 31 13 13 15 | - | -'],
  ['gemini-cli/Mai0313-VibeCodingTracke', 'gemini | 14 12 12 6 | - | client record 2'],
  ['gemini-cli/entireio-cli-51-3fab7adf', 'gemini | 5 1 1 2 | - | -'],
  ['opencode/YP8H2MKMX-0.json', 'ai-sdk | 142 75 75 69 | - | -'],
  ['opencode/Y83FC8EKQ-4.json', 'ai-sdk | 27 12 12 13 | - | -'],
  ['copilot-cli/XYAY6X6AX-0.jsonl', 'openai-responses | 262 108 108 29 | - | client record 319, event 166'],
  ['anthropic-messages/anthropic_tool_with_thin', 'anthropic-messages | 3 1 1 0 | - | -'],
  ['anthropic-messages/anthropic_lazy_advertise', 'anthropic-messages | 6 2 2 0 | - | -'],
  ['anthropic-messages/tool_search_eval-anthrop', 'anthropic-messages | 7 3 3 0 | - | -'],
  ['openai-chat/complex_agent_run.json', 'openai-chat | 6 3 3 0 | - | -'],
  ['openai-chat/deepseek_deferred_capabi', 'openai-chat | 10 4 4 0 | - | -'],
  ['openai-responses/openai_responses_compact', 'openai-responses | 8 0 0 0 | opaque unknown @6 | -'],
  ['openai-responses/deepseek_responses_repla', 'openai-responses | 10 2 2 0 | - | -'],
  ['gemini-api/google_instructions_only', 'gemini | 9 6 6 0 | - | -'],
  ['gemini-api/multimodal_tool_return_m', 'gemini | 7 3 3 0 | - | -'],
  ['bedrock-converse/bedrock_anthropic_tool_w', 'bedrock-converse | 3 1 1 0 | - | -'],
  ['bedrock-converse/bedrock_mistral_two_tool', 'bedrock-converse | 5 2 2 0 | - | -'],
]

const LOGS = ['claude-code', 'codex-rollout', 'pi-session']
const REQUESTS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-api', 'bedrock-converse']
/** Sessions of clients whose every message is an item, or among the skipped. */
const CLIENTS = ['gemini-cli', 'opencode', 'copilot-cli']

/** Recorded sessions are read where this computer has them; the tests say so where it has not. */
describe.skipIf(!hasCorpus)('recorded sessions (skipped: the corpus is absent)', () => {
  const files = [...LOGS, ...CLIENTS, ...REQUESTS].flatMap(corpusFiles)
  const named = (folder: string) => corpusFiles(folder).map((file) => [shortName(file), file] as const)

  const sessions = new Map<string, Promise<ImportedSession>>()

  /** Each file is read once: nothing in a session changes. */
  function read({ path }: CorpusFile): Promise<ImportedSession> {
    const session = sessions.get(path) ?? readSessionFile(path)
    sessions.set(path, session)
    return session
  }

  test('the golden table names every file of the formats we read', () => {
    expect(GOLDEN.map(([name]) => name)).toEqual(files.map(shortName))
  })

  test.each(files.map((file) => [shortName(file), file] as const))('%s has its golden counts', async (name, file) => {
    const session = await read(file)
    expect(row(session)).toBe(new Map(GOLDEN).get(name))
    expect(session.compactions.map(({ kind }) => kind)).toHaveLength(compactionsOf(file))
    expect(session.bytes).toBe(statSync(file.path).size)
  })

  describe.each(named('claude-code'))('%s', (_name, file) => {
    test('has every line once in an item, or among the skipped', async () => {
      const session = await read(file)
      const left = leftOver(blocksOf(session.items.map(({ item }) => item as Message)))
      const lines = rawRecords(file.path).filter((record) => record.isSidechain !== true)
      const absent = lines.filter((line) => {
        const blocks = blocksOf(spokenBy(line))
        return blocks.length > 0 && !left.take(blocks)
      })
      expect(left.size()).toBe(0)
      const counts = skippedCounts(session)
      expect(absent).toHaveLength((counts['abandoned branch'] ?? 0) + (counts['client error message'] ?? 0))
    })

    test('agrees with the index: messages, calls, calls without a result', async () => {
      const session = await read(file)
      const records = rawRecords(file.path).filter((record) => record.type === 'user' || record.type === 'assistant')
      const side = records.filter((record) => record.isSidechain === true)
      const sideCalls = blocksOf(side.map(({ message }) => message as Message)).filter((block) =>
        block.includes('"tool_use"'),
      )
      expect(parts(session, CALLS) + sideCalls.length).toBe(file.toolCalls)
      const answers = new Set(records.map(({ message }) => (message as Fields).id ?? {}))
      // The index counts an answer twice where its lines do not stand together.
      expect(file.messages - answers.size).toBeOneOf([0, 1, 2])
      expect(openCalls(session)).toBe(Number(file.notes.get('calls_without_result') ?? 0) - answeredByServer(file))
    })

    test('is a conversation that Anthropic takes, open calls aside', async () => {
      mustPair(await read(file))
    })

    test('has each compaction with its summary, in order', async () => {
      const { compactions, items } = await read(file)
      const positions = compactions.map(({ position }) => position)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      for (const { kind, summary, keptFrom, position } of compactions) {
        expect(summary !== undefined).toBe(kind === 'summary')
        expect(keptFrom ?? 0).toBeLessThan(position)
        expect(position).toBeLessThanOrEqual(items.length)
      }
    })
  })

  test.each(named('codex-rollout'))(
    '%s has every response item as recorded, or among the skipped',
    async (_name, file) => {
      const session = await read(file)
      const left = leftOver(session.items.map(({ item }) => JSON.stringify(item)))
      const recorded = rawRecords(file.path).filter((record) => record.type === 'response_item')
      const absent = recorded.filter((record) => !left.take([JSON.stringify(record.payload)]))
      expect(left.size()).toBe(0)
      const snapshots = recorded.filter((record) => (record.payload as Fields).type === 'ghost_snapshot').length
      expect(absent).toHaveLength(snapshots + (skippedCounts(session)['duplicate result'] ?? 0))
      const calls = session.items.filter(({ item }) => RESPONSES_CALLS.has((item as Fields).type))
      expect(calls).toHaveLength(file.toolCalls)
      mustFollow(session)
    },
  )

  test.each(named('pi-session'))('%s has every message, and agrees with the index', async (_name, file) => {
    const session = await read(file)
    const results = session.items.filter(({ item }) => count(item as Fields, RESULTS) > 0)
    expect(session.items.length - results.length + parts(session, RESULTS)).toBe(file.messages)
    expect(parts(session, CALLS)).toBe(file.toolCalls)
    expect(openCalls(session)).toBe(Number(file.notes.get('calls_without_result') ?? 0))
    mustPair(session)
  })

  describe.each(CLIENTS.flatMap(named))('%s', (_name, file) => {
    test('is a conversation that its dialect takes', async () => {
      const { dialect, items } = await read(file)
      expect(dialectByName(dialect).check({ system: [], items: items.map(({ item }) => item as object) }, {})).toEqual(
        [],
      )
    })

    test('has each call of the index, and no more results than calls', async () => {
      const session = await read(file)
      expect(parts(session, CALLS)).toBe(file.toolCalls)
      const open = Number(file.notes.get('calls_without_result') ?? 0)
      expect(parts(session, RESULTS)).toBe(file.toolCalls - open)
    })

    test('can be profiled', async () => {
      const session = await read(file)
      const items = session.items.map(({ item }) => item as object)
      const options = { preset: DEFAULT_PRESET, overhead: 0, scale: 1, window: 40_000 }
      const profile = profileSession(dialectByName(session.dialect), { ...session, items }, options)
      expect(profile.steps.length).toBeGreaterThan(0)
      expect(profile.steps.every(({ tokens }) => tokens > 0)).toBe(true)
    })
  })

  test.each(REQUESTS.flatMap(named))('%s is the whole body', async (_name, file) => {
    const session = await read(file)
    const [body] = [JSON.parse(readFileSync(file.path, 'utf8')) as Fields]
    expect(session.request).toEqual(body)
    expect(session.items.map(({ item }) => item)).toEqual(body.messages ?? body.input ?? body.contents)
    expect(parts(session, CALLS)).toBe(file.toolCalls)
  })
})

/** Every result stands in the user item right behind its call, the first item is the user's, none is empty. */
function mustPair(session: ImportedSession): void {
  const items = session.items.map(({ item }) => item as Message)
  expect(items[0]?.role).toBe('user')
  items.forEach((item, at) => {
    expect(item.content.length).toBeGreaterThan(0)
    const blocks = listOf(item.content)
    const results = blocks.filter((block) => block.type === 'tool_result')
    const calls = listOf(items[at - 1]?.content).filter((block) => block.type === 'tool_use')
    for (const result of results) expect(calls.map(({ id }) => id)).toContain(result.tool_use_id)
    expect(blocks.slice(0, results.length)).toEqual(results)
  })
}

/** Every output stands somewhere behind its call. */
function mustFollow(session: ImportedSession): void {
  const seen = new Set<unknown>()
  for (const { item } of session.items) {
    const { type, call_id: id } = item as Fields
    if (RESPONSES_CALLS.has(type)) seen.add(id)
    if (String(type).endsWith('_output')) expect(seen).toContain(id)
  }
}

function openCalls(session: ImportedSession): number {
  const blocks = session.items.flatMap(({ item }) => listOf((item as Message).content))
  const answered = blocks.filter((block) => block.type === 'tool_result').length
  return blocks.filter((block) => block.type === 'tool_use').length - answered
}

/** What a line of Claude Code says to the model. */
function spokenBy(line: Fields): Message[] {
  const attachment = line.attachment as Fields | undefined
  if (attachment?.type === 'queued_command') return [{ role: 'user', content: String(attachment.prompt) }]
  if (line.subtype === 'local_command') return [{ role: 'user', content: String(line.content) }]
  const isSpoken = (line.type === 'user' || line.type === 'assistant') && line.isCompactSummary !== true
  return isSpoken ? [line.message as Message] : []
}

function blocksOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [content] : content).map((block) => JSON.stringify([role, block])),
  )
}

function listOf(content: Message['content'] | undefined): readonly Fields[] {
  return typeof content === 'string' || content === undefined ? [] : content
}

/** A bag of texts to take from. */
function leftOver(texts: readonly string[]) {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return {
    take(wanted: readonly string[]): boolean {
      if (!wanted.every((text) => (counts.get(text) ?? 0) > 0)) return false
      for (const text of wanted) counts.set(text, (counts.get(text) ?? 0) - 1)
      return true
    },
    size: () => [...counts.values()].reduce((a, b) => a + b, 0),
  }
}

/** The index joins compactions by commas, and blanked results behind them. */
function compactionsOf({ compactions }: CorpusFile): number {
  const micro = Number(/micro×(\d+)/.exec(compactions)?.[1] ?? 0)
  return compactions.split(',').filter((entry) => entry !== '-').length + micro
}

/** An advisor's call is answered inside the answer; the index takes it for an open one. */
function answeredByServer({ notes }: CorpusFile): number {
  return Number(notes.get('unknown_blocks') ?? 0)
}

function row(session: ImportedSession): string {
  const skipped = Object.entries(skippedCounts(session)).map(([reason, lines]) => `${reason} ${lines}`)
  const compactions = session.compactions.map(({ kind, trigger, position, keptFrom }) =>
    [kind, trigger, `@${position}`, ...(keptFrom === undefined ? [] : [`kept ${keptFrom}`])].join(' '),
  )
  const counts = [session.items.length, parts(session, CALLS), parts(session, RESULTS), session.calls.length]
  return [session.dialect, counts.join(' '), compactions.join(', ') || '-', skipped.join(', ') || '-'].join(' | ')
}

/** Folder, and enough of the name to tell the file. */
function shortName({ name }: CorpusFile): string {
  const [folder = '', file = ''] = name.split('/')
  return `${folder}/${file.replace(/^.*(?:test_|-01K)/, '').slice(0, 24)}`
}

/** How many calls or results a session holds, in whatever dialect. */
function parts(session: ImportedSession, kinds: RegExp): number {
  return session.items.map(({ item }) => count(item as Fields, kinds)).reduce((a, b) => a + b, 0)
}

function count(item: Fields, kinds: RegExp): number {
  if (Array.isArray(item.tool_calls) && kinds === CALLS) return item.tool_calls.length
  const inner = [item.content, item.parts].filter(Array.isArray).flat() as Fields[]
  const names = [item, ...inner].flatMap((part) => [part.type === undefined ? Object.keys(part) : part.type].flat())
  return (
    names.filter((name) => typeof name === 'string' && kinds.test(name)).length +
    (kinds === RESULTS && typeof item.tool_call_id === 'string' ? 1 : 0)
  )
}

const CALLS =
  /^(tool_use|tool-call|server_tool_use|(function|custom_tool|tool_search|web_search|local_shell)_call|functionCall|toolUse)$/
const RESULTS =
  /^(tool_result|tool-result|advisor_tool_result|(function|custom_tool)_call_output|tool_search_output|functionResponse|toolResult)$/

const RESPONSES_CALLS: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'tool_search_call',
  'web_search_call',
  'local_shell_call',
])
