import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@palimpsest/sessions/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buildCommand,
  exampleSession,
  palimpsest,
  palimpsestHere,
  scratchFolder,
} from '../../built-command.test-data.ts'
import { runCommandLine } from '../../command-line.ts'
import { anthropic, inventedSteps } from '../../invented-requests.test-data.ts'
import { recordingTerminal } from '../../recording-terminal.test-data.ts'
import { inventedEntries, storeEntries } from '../../session-store/invented-session.test-data.ts'

const scratch = scratchFolder()
const store = join(scratch.path, 'sessions.db')
const EXAMPLE = '79e4ea53-2b6a-406d-af4a-1c4320c37d8a'

beforeAll(buildCommand)
beforeAll(async () => {
  const database = await openDatabase(store)
  await storeEntries(database.sessions(), 'harbour', inventedEntries())
  await storeEntries(database.sessions('other'), 'lighthouse', inventedEntries({ title: 'Lamps' }))
  await database.close()
  await sessions('import', exampleSession)
})
afterAll(scratch.remove)

/** One of the commands on the store of these tests. */
function sessions(...words: readonly string[]) {
  return palimpsestHere(['sessions', ...words, '--store', store])
}

async function json(...words: readonly string[]) {
  const { code, out, err } = await sessions(...words, '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

describe('list', () => {
  it('shows the last used first, in a line each', async () => {
    const { code, out } = await sessions('list')
    const [titles, first, second, ...more] = out.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(titles).toMatch(/^id +last entry \(UTC\) +messages +input +compactions +model +title$/)
    expect(first).toMatch(/^79e4ea53 +2026-02-03 10:17 +270 +274k +0 +claude-sonnet-4-5 +Multi-currency/)
    expect(second).toMatch(/^harbour +2026-01-14 09:\d\d +15 +4k +1 +claude-sonnet-4-5 +Berths of the harbo/)
    expect(more).toEqual([])
  })

  it('takes a folder, a number and a namespace', async () => {
    const ids = async (...words: readonly string[]) =>
      (await json('list', ...words)).sessions.map(({ id }: { id: string }) => id)
    expect(await ids('--cwd', '/home/dev/harbour')).toEqual(['harbour'])
    expect(await ids('--limit', '1')).toEqual([EXAMPLE])
    expect(await ids('--namespace', 'other')).toEqual(['lighthouse'])
    expect(await sessions('list', '--cwd', '/nowhere')).toMatchObject({
      code: 0,
      out: '',
      err: 'No sessions of the folder /nowhere.\n',
    })
  })

  it('--json tells all of a session', async () => {
    expect((await json('list')).sessions[1]).toEqual({
      id: 'harbour',
      dialect: 'anthropic-messages',
      model: 'claude-sonnet-4-5',
      cwd: '/home/dev/harbour',
      title: 'Berths of the harbour',
      tool_results: 'full',
      created_at: '2026-01-14T09:00:00.000Z',
      updated_at: '2026-01-14T09:22:00.000Z',
      entries: 23,
      messages: 15,
      last_input_tokens: 4000,
      compactions: 1,
    })
  })
})

describe('show', () => {
  it('shows the newest page, with the compaction where it happened', async () => {
    const { code, out } = await sessions('show', 'harb')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^harbour\nBerths of the harbour\nanthropic-messages, claude-sonnet-4-5\n\/home\/dev\/harbour\n15 messages, 23 entries, 2 turns, 1 compaction, last input 4,000 tokens\n/,
    )
    expect(out).toMatch(/\[0\] user {2}2026-01-14 09:02\n {2}Read the files of the harbour/)
    expect(out).toMatch(
      /\[1\] assistant.*\n {2}→ read {"path":"src\/quay-0.ts"}\n\n\[2\] tool.*\n {2}← read \(1,798 characters\)\n {4}0: berth 0-0/,
    )
    expect(out).toMatch(/… \d+ more lines/)
    expect(out).toMatch(
      /\n\n── compaction \(threshold, .*\): [\d,]+ → [\d,]+ tokens; whole from message \d+ on ──\n\n\[11\] assistant/,
    )
  })

  it('pages by position, and says what there is', async () => {
    const page = await sessions('show', EXAMPLE, '--from', '10', '--to', '12')
    expect(page.out).toMatch(/messages 10 to 11, of 0 to 269 \(--from N --to N\)/)
    expect(page.out.match(/^\[\d+\]/gm)).toEqual(['[10]', '[11]'])
    const newest = await sessions('show', EXAMPLE)
    expect(newest.out.match(/^\[\d+\]/gm)?.at(0)).toBe('[250]')
    expect((await sessions('show', EXAMPLE, '--to', '3')).out.match(/^\[\d+\]/gm)).toEqual(['[0]', '[1]', '[2]'])
    expect((await sessions('show', EXAMPLE, '--from', '900')).out).toMatch(/no messages there, of 0 to 269/)
  })

  it('--view is what the model is sent, --log what was written, --full leaves nothing out', async () => {
    const view = await sessions('show', 'harbour', '--view')
    expect(view.out).toMatch(/items 0 to \d+/)
    expect(view.out).not.toMatch(/── compaction/)
    const log = await sessions('show', 'harbour', '--log', '--from', '1', '--to', '4')
    expect(log.out.trimEnd().split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^1 2026-01-14 09:00 [0-9a-f]{8} session-started anthropic-messages claude-sonnet-4-5$/),
      expect.stringMatching(/^2 2026-01-14 09:01 [0-9a-f]{8} turn-started$/),
      expect.stringMatching(/^3 2026-01-14 09:02 [0-9a-f]{8} message-appended 0$/),
    ])
    const full = await sessions('show', 'harbour', '--full')
    expect(full.out).not.toMatch(/…/)
  })

  it('--json holds the items as they are, and the record', async () => {
    const shown = await json('show', 'harbour')
    const { messages } = anthropic(inventedSteps(6, 2_000)) as { messages: unknown[] }
    expect(shown.messages.map(({ item }: { item: unknown }) => item)).toEqual(messages)
    expect(shown).toMatchObject({ id: 'harbour', from: 0, to: 15 })
    expect(shown.compactions).toEqual([
      expect.objectContaining({ position: 11, record: expect.objectContaining({ length: 11 }) }),
    ])
    expect((await json('show', 'harbour', '--view')).items.length).toBeGreaterThan(3)
    expect((await json('show', 'harbour', '--log')).entries).toHaveLength(23)
  })

  it.each([
    [['nope'], /^error: There is no session "nope" in this store\.\nhint: palimpsest sessions list/],
    [['harbour', '--view', '--log'], /three ways to show a session/],
    [['harbour', '--from', '5', '--to', '2'], /--to is below --from/],
    [['harbour', '--from', '-1'], /It wants a whole number/],
    [[], /missing required argument 'ID'/],
  ])('%j ends with 2 and says why', async (words, message) => {
    const { code, out, err } = await sessions('show', ...words)
    expect(err).toMatch(message)
    expect([code, out]).toEqual([2, ''])
  })
})

describe('import', () => {
  it('stores each file once, appends what it grew by, and says what was skipped', async () => {
    const lines = readFileSync(exampleSession, 'utf8').split('\n')
    const at = join(scratch.path, 'import.db')
    const put = async (count: number) => {
      const file = scratch.file('growing.jsonl', lines.slice(0, count).join('\n'))
      const { code, out, err } = await palimpsestHere(['sessions', 'import', file, '--store', at])
      expect([code, err]).toEqual([0, `store: ${at}\n`])
      return out.split('\n')[1]
    }
    expect(await put(40)).toMatch(/^ {2}claude-code, new, \d+ messages, \d+ entries appended/)
    expect(await put(200)).toMatch(/^ {2}claude-code, has grown, \d+ messages, \d+ entries appended/)
    expect(await put(lines.length)).toMatch(
      /^ {2}claude-code, has grown, 270 messages, .*8 lines skipped \(client record\)$/,
    )
    expect(await put(lines.length)).toMatch(/^ {2}claude-code, stored already, 270 messages, 0 entries appended/)
    expect(await put(40)).toMatch(/stored already/)
    const verdict = await palimpsestHere(['sessions', 'verify', '--store', at])
    expect(verdict).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^79e4ea53.*270 messages, 0 compactions, sound\n$/),
    })
    if (process.platform !== 'win32') expect(statSync(at).mode & 0o077).toBe(0)
  })

  it('takes standard input, a name and JSON', async () => {
    const input = JSON.stringify(anthropic(inventedSteps(2, 100)))
    const words = ['sessions', 'import', '-', '--id', 'mine', '--store', join(scratch.path, 'input.db'), '--json']
    const { code, out } = await palimpsestHere(words, input)
    expect(code).toBe(0)
    expect(JSON.parse(out).imports).toEqual([
      {
        file: 'standard input',
        id: 'mine',
        outcome: 'new',
        format: 'request',
        messages: 7,
        client_compactions: 0,
        entries_appended: 8,
        skipped: {},
      },
    ])
  })

  it('goes on with the other files, and ends with 2', async () => {
    const bad = scratch.file('notes.txt', 'hello\nworld\n')
    const at = join(scratch.path, 'some.db')
    const { code, out, err } = await palimpsestHere(['sessions', 'import', bad, exampleSession, '--store', at])
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: .*notes\.txt: Not JSON at line 1/)])
    expect(out).toMatch(/^79e4ea53/)
  })

  it.each([
    [[], /No FILE was named/],
    [['a.jsonl', 'b.jsonl', '--id', 'x'], /--id names one session/],
    [['gone.jsonl'], /gone\.jsonl: there is no such file/],
  ])('%j ends with 2 and says why', async (words, message) => {
    const { code, err } = await sessions('import', ...words)
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })
})

describe('export', () => {
  it('gives back what was imported, and tells what the target cannot hold', async () => {
    const own = await sessions('export', EXAMPLE, '--format', 'claude-code')
    expect([own.code, own.err]).toEqual([
      0,
      `${EXAMPLE}: 270 messages as claude-code\n  to go on with it there, write it to ~/.claude/projects/-home-dev-ledger-service/${EXAMPLE}.jsonl\n`,
    ])
    const file = join(scratch.path, 'chat.json')
    const chat = await sessions('export', EXAMPLE, '--format', 'openai-chat', '-o', file)
    expect([chat.code, chat.out]).toEqual([0, ''])
    expect(chat.err).toMatch(/^ {2}\d+ × signature of reasoning \(message 1, /m)
    expect((await palimpsestHere(['check', file])).out).toMatch(/openai-chat, \d+ messages, no violations/)
  })

  it('--view view is what the model is sent', async () => {
    const whole = JSON.parse((await sessions('export', 'harbour')).out)
    const view = JSON.parse((await sessions('export', 'harbour', '--view', 'view')).out)
    expect(whole.messages).toHaveLength(15)
    expect(JSON.stringify(view).length).toBeLessThan(JSON.stringify(whole).length)
    expect(view.system).toEqual(whole.system)
  })

  it.each([
    [['harbour', '--format', 'word'], /Allowed are anthropic-messages/],
    [
      ['harbour', '-o', join(scratch.path, 'no', 'such', 'folder')],
      /cannot be written: there is no such file or folder/,
    ],
    [['nope'], /There is no session "nope"/],
  ])('%j ends with 2 and says why', async (words, message) => {
    const { code, out, err } = await sessions('export', ...words)
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)])
  })
})

describe('a log', () => {
  it('moves to another store with every hash, twice without a change, and grows there', async () => {
    const at = join(scratch.path, 'moved.db')
    const { out: log, err } = await sessions('export', 'harbour', '--format', 'log')
    expect(err).toMatch(/palimpsest sessions import --id harbour FILE/)
    const part = scratch.file('part.log', log.split('\n').slice(0, 10).join('\n'))
    const whole = scratch.file('whole.log', log)
    const put = async (file: string) => {
      const { code, out } = await palimpsestHere(['sessions', 'import', file, '--id', 'harbour', '--store', at])
      expect(code).toBe(0)
      return out.split('\n')[1]
    }
    expect(await put(part)).toBe('  log, new, 8 messages, 10 entries appended')
    expect(await put(whole)).toBe('  log, has grown, 15 messages, 13 entries appended')
    expect(await put(whole)).toBe('  log, stored already, 15 messages, 0 entries appended')
    expect(await put(part)).toBe('  log, stored already, 8 messages, 0 entries appended')
    const moved = await palimpsestHere(['sessions', 'export', 'harbour', '--format', 'log', '--store', at])
    expect(moved.out).toBe(log)
    expect(await palimpsestHere(['sessions', 'verify', '--store', at])).toMatchObject({ code: 0 })
  })

  it('that was changed, or is another one, is refused', async () => {
    const at = join(scratch.path, 'refused.db')
    const log = (await sessions('export', 'harbour', '--format', 'log')).out
    const changed = scratch.file('changed.log', log.replace('The port must stay 8443', 'The port may change'))
    const refused = await palimpsestHere(['sessions', 'import', changed, '--store', at])
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: .*changed\.log: The session log is damaged: Entry 3 is not what was written/),
    })
    const torn = scratch.file('torn.log', log.slice(0, -30))
    expect((await palimpsestHere(['sessions', 'import', torn, '--store', at])).err).toMatch(/line 23 is no JSON/)
    const other = scratch.file('other.log', log)
    expect(await sessions('import', other, '--id', EXAMPLE)).toMatchObject({ code: 2, out: '' })
  })
})

describe('fork and rm', () => {
  it('copies up to a place, and removes for good once a person said so', async () => {
    const fork = await sessions('fork', 'harbour', '--before-compaction', '--id', 'before')
    expect(fork).toEqual({ code: 0, out: 'before\n', err: 'before: 11 messages of harbour\n' })
    expect((await sessions('fork', 'harbour', '--before-turn', '1', '--id', 'empty')).err).toMatch(/0 messages/)
    expect((await sessions('fork', 'harbour', '--at', '4', '--id', 'two')).err).toMatch(/2 messages/)
    const random = await sessions('fork', 'harbour')
    expect(random.out).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}\n$/)
    expect((await sessions('show', 'before')).out).toMatch(/forked from harbour before entry 17/)
    expect((await sessions('verify')).code).toBe(0)

    const asked = recordingTerminal({ keyboard: true, answer: 'n' })
    expect(await runCommandLine(['sessions', 'rm', 'before', 'two', '--store', store], asked)).toBe(0)
    expect(asked.said.join('\n')).toMatch(
      /Remove 2 sessions with 13 messages from .*, for good\? \[y\/N\] \nNothing was removed\./,
    )
    const agreed = recordingTerminal({ keyboard: true, answer: 'y' })
    await runCommandLine(['sessions', 'rm', 'before', '--store', store], agreed)
    expect(agreed.said.at(-1)).toBe('removed before')
    const rest = await sessions('rm', 'two', 'empty', random.out.trim(), '--yes')
    expect([rest.code, rest.err.split('\n').length]).toEqual([0, 4])
    expect((await json('list')).sessions.map(({ id }: { id: string }) => id)).toEqual([EXAMPLE, 'harbour'])
  })

  it.each([
    [['rm', 'harbour'], /15 messages would be removed from .*nobody is there to ask\.\nhint: Add --yes/],
    [['rm', 'harbour', 'nope', '--yes'], /no session "nope"/],
    [['fork', 'harbour', '--at', '99'], /has the entries 1 to 23, not 99/],
    [['fork', 'harbour', '--at', '0'], /has the entries 1 to 23, not 0/],
    [['fork', 'harbour', '--before-turn', '3'], /has the turns 1 to 2, so there is no turn 3/],
    [['fork', EXAMPLE, '--before-compaction'], /holds no compaction/],
    [['fork', EXAMPLE, '--before-turn', '1'], /has no turns/],
    [['fork', 'harbour', '--id', EXAMPLE], /taken|is there already|already/],
    [['fork', 'harbour', '--at', '4', '--before-compaction'], /Name one of them/],
  ])('%j ends with 2, says why, and changes nothing', async (words, message) => {
    const { code, out, err } = await sessions(...words)
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)])
    expect((await json('list')).sessions).toHaveLength(2)
  })
})

describe('search', () => {
  it('finds what was evicted like everything else, in all sessions or one', async () => {
    const { code, out } = await sessions('search', 'berth', '2-7', 'BOATS')
    expect(code).toBe(0)
    expect(out).toMatch(/^harbour \[6\] tool {2}2026-01-14 09:08\n {2}.*berth 2-7 holds/)
    const found = await json('search', 'migration')
    expect(found.matches.length).toBeGreaterThan(2)
    expect(found.matches[0]).toEqual({
      session: EXAMPLE,
      position: 0,
      role: 'user',
      seq: 2,
      at: expect.stringMatching(/^2026-02-03T/),
      excerpt: expect.stringContaining('migration'),
      rewound: false,
    })
    expect((await json('search', 'migration', '--session', 'harbour')).matches).toEqual([])
  })

  it('says that there is more, or nothing', async () => {
    const some = await sessions('search', 'berth', '--limit', '2')
    expect([some.out.match(/^harbour/gm)?.length, some.err]).toEqual([2, 'The first 2; --limit N for more.\n'])
    expect(await sessions('search', '.* (')).toEqual({
      code: 0,
      out: '',
      err: 'No message holds all of these words.\n',
    })
    expect(await sessions('search', ' ')).toMatchObject({ code: 2, err: expect.stringMatching(/holds no word/) })
  })
})

describe('verify', () => {
  it('ends with 1 where a session is not what was written, and says where', async () => {
    const at = join(scratch.path, 'damaged.db')
    const database = await openDatabase(at)
    const entries = inventedEntries().map((entry) =>
      entry.type === 'message-appended' && entry.position === 2
        ? { ...entry, item: { role: 'user', content: '-' } }
        : entry,
    )
    await storeEntries(database.sessions(), 'damaged', entries)
    await storeEntries(database.sessions(), 'sound', inventedEntries())
    await database.close()
    const { code, out } = await palimpsestHere(['sessions', 'verify', '--store', at])
    expect(code).toBe(1)
    expect(out).toMatch(
      /^damaged: 23 entries, 15 messages, 1 compaction, 2 faults\n {2}entry 5: Entry 5 is not what was written/m,
    )
    expect(out).toMatch(/^ {2}entry 17: the key of the record is not that of the messages before it/m)
    expect(out).toMatch(/^sound: .* sound$/m)
    const one = await palimpsestHere(['sessions', 'verify', 'sound', '--store', at, '--json'])
    expect(one.code).toBe(0)
    expect(JSON.parse(one.out).sessions).toEqual([{ id: 'sound', entries: 23, messages: 15, faults: [] }])
  })
})

describe('migrate', () => {
  it('goes down and up again, and loses no session', async () => {
    const at = join(scratch.path, 'migrated.db')
    const migrate = (...words: readonly string[]) => palimpsestHere(['sessions', 'migrate', ...words, '--store', at])
    expect((await migrate('up')).out).toMatch(/^0001-base +taken\n/)
    await palimpsestHere(['sessions', 'import', exampleSession, '--store', at])
    expect((await migrate('down', '--to', '0001-base')).err).toMatch(/^(down \d{4}-[a-z-]+\n)+$/)
    expect((await migrate('status')).out).toMatch(/^0001-base +taken\n0002-session-counters +not taken\n/)
    expect(await migrate('down')).toMatchObject({ code: 2, err: expect.stringMatching(/^error: /) })
    expect((await migrate('up')).err).toMatch(/^up 0002-session-counters\n/)
    expect((await migrate('up')).err).toBe('nothing to do\n')
    expect(await palimpsestHere(['sessions', 'verify', '--store', at])).toMatchObject({ code: 0 })
    expect(await migrate('up', '--to', '0001-base')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/is not up from here/),
    })
    expect(await migrate('down', '--to', 'x')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no migration "x"/),
    })
    expect(await migrate('sideways')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Allowed choices are up, down, status/),
    })
  })
})

describe('a store that cannot be used', () => {
  it.each([
    [
      'is not there',
      () => join(scratch.path, 'gone.db'),
      /^error: There is no session store at .*gone\.db\.\nhint: palimpsest sessions import FILE makes one/,
    ],
    ['is a folder', () => scratch.path, /^error: .*cannot be opened/],
    ['is another file', () => exampleSession, /^error: .*ledger-service\.jsonl/],
    [
      'is a server that does not answer',
      () => 'postgres://me:hidden@127.0.0.1:9/work',
      /^error: .*127\.0\.0\.1:9\/work/,
    ],
    [
      'is of another kind',
      () => 'mysql://me:hidden@127.0.0.1/work',
      /^error: --store: mysql:\/\/me@127\.0\.0\.1\/work is the URL of no store/,
    ],
  ])('because it %s: one clear line, and 2', async (_why, where, message) => {
    const { code, out, err } = await palimpsestHere(['sessions', 'list', '--store', where()])
    expect(err).toMatch(message)
    expect(err).not.toMatch(/hidden|\n\s+at /)
    expect(err.split('\n').length).toBeLessThanOrEqual(3)
    expect([code, out]).toEqual([2, ''])
  })

  it('is not made by looking at it', async () => {
    const at = join(scratch.path, 'looked-at.db')
    for (const words of [['list'], ['show', 'x'], ['verify'], ['migrate', 'status'], ['migrate', 'down']]) {
      expect((await palimpsestHere(['sessions', ...words, '--store', at])).code).toBe(2)
    }
    expect(existsSync(at)).toBe(false)
  })
})

it('the built command keeps its sessions in the data folder, or where PALIMPSEST_STORE says', () => {
  const home = scratch.folder('home')
  const env = { HOME: home, XDG_DATA_HOME: '' }
  const put = palimpsest(['sessions', 'import', exampleSession], { env })
  const own = join(home, '.local', 'share', 'palimpsest', 'sessions.db')
  expect([put.code, put.err]).toEqual([0, `store: ${own}\n`])
  expect(palimpsest(['sessions', 'list'], { env }).out).toMatch(/^79e4ea53/m)
  const other = palimpsest(['sessions', 'list'], { env: { ...env, PALIMPSEST_STORE: store } })
  expect(other.out).toMatch(/^harbour/m)
  const asked = palimpsest(['sessions', 'rm', '79e4', '--yes'], { env })
  expect([asked.code, asked.err]).toEqual([0, `removed ${EXAMPLE}\n`])
})

it('help says what there is', async () => {
  const { code, out } = await palimpsestHere(['sessions', '--help'])
  expect(code).toBe(0)
  for (const name of ['list', 'show', 'import', 'export', 'fork', 'rm', 'search', 'verify', 'migrate']) {
    expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  }
})
