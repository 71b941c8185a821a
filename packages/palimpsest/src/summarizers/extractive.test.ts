import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addToManifest, createManifest } from '../engine/manifest/manifest.ts'
import {
  assistant,
  call,
  injected,
  message,
  part,
  quarter,
  reasoning,
  result,
  slices,
  step,
  user,
} from '../engine/manifest/transcript.test-data.ts'
import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import type { MessageView } from '../engine/messages/message.ts'
import { anyView } from './arbitrary-transcript.test-data.ts'
import { type ExtractiveInput, extractiveSummary } from './extractive.ts'

function summary(transcript: readonly TranscriptSlice[], more: Partial<ExtractiveInput> = {}): string {
  return extractiveSummary({ slices: transcript, upTo: transcript.length, budget: 2_000, estimate: quarter, ...more })
}

describe('extractive summary', () => {
  it('TC-32 keeps constraints and their correction, in order, through five compactions of 300 turns', () => {
    const transcript = slices(...longSession())
    const manifest = createManifest()
    addToManifest(manifest, transcript)
    let previous: string | undefined
    for (const upTo of [300, 450, 600, 750, 900]) {
      const text = extractiveSummary({
        manifest,
        upTo,
        budget: 1_000,
        estimate: quarter,
        ...(previous === undefined ? {} : { previous }),
      })
      const port = text.indexOf('port must stay 8443; never push to main; answer in French')
      expect(port).toBeGreaterThanOrEqual(0)
      if (upTo > 361) expect(text.indexOf('use 9443 instead')).toBeGreaterThan(port)
      expect(quarter(text)).toBeLessThanOrEqual(1_000)
      expect(text).toContain('loadHttpRouter')
      const again = extractiveSummary({ manifest, upTo, budget: 1_000, estimate: quarter, previous: text })
      expect(again).toBe(text)
      previous = text
    }
  })

  it('TC-05 tells the words beside a tool result with user authority, and none of the result', () => {
    const transcript = slices(
      user('Migrate the accounts'),
      message('assistant', call('t4', 'Bash', { command: 'npm run migrate' })),
      message('user', result('t4', 'x9q '.repeat(20_000)), part('text', 'and never touch the prod database')),
      assistant('y'.repeat(80_000)),
    )
    const text = summary(transcript)
    expect(text).toMatch(/## User messages[^#]*and never touch the prod database/)
    expect(text.split('x9q').length).toBeLessThan(40)
    expect(text).not.toContain('tool_result')
  })

  it('CF-17 takes replacement patterns, braces and closing tags as they are', () => {
    const words = 'Replace $& and $$ and {x} but never </summary> or </compacted_context> $1 $`'
    const text = summary(slices(user('Begin'), user(words), ...step('1', 'Bash', { command: "echo '$&$$'" }, '$&')))
    expect(text).toContain(words)
    expect(text).toContain("echo '$&$$'")
  })

  it('BB 22 tells standing instructions once, in their newest form, and a prohibition verbatim', () => {
    const agents = '# AGENTS.md instructions\nRun the linter before each commit.'
    const transcript = slices(
      injected(`${agents}\nOld line.`),
      user('Add a cache'),
      user('You must never do X in this repository.'),
      injected(agents),
      ...Array.from({ length: 80 }, (_, at) =>
        step(`c${at}`, 'Read', { file_path: `/repo/src/file${at}.ts` }, 'text'),
      ).flat(),
    )
    let previous = ''
    for (let round = 1; round <= 5; round += 1) {
      const text = summary(transcript, { previous, upTo: 10 + round * 30, budget: 600 })
      expect(text.split('Run the linter before each commit.')).toHaveLength(2)
      expect(text).not.toContain('Old line.')
      expect(text.split('You must never do X in this repository.')).toHaveLength(2)
      previous = text
    }
  })

  it('takes no injected text and no reasoning for words', () => {
    const transcript = slices(
      injected('<system-reminder>must not leak</system-reminder>'),
      user('Do it'),
      message('assistant', reasoning('secret thought'), part('text', '<think>hidden plan</think>Shown answer')),
    )
    const text = summary(transcript)
    expect(text).toContain('Shown answer')
    for (const hidden of ['must not leak', 'secret thought', 'hidden plan']) expect(text).not.toContain(hidden)
  })

  it('tells plan, files, commands, errors, steps and open calls under fixed headings', () => {
    const text = summary(slices(...workingSession()))
    expect(text).toContain("## Goal, in the user's words\nFix the login")
    expect(text).toContain('- [in progress] Write the test')
    expect(text.indexOf('[in progress] Write')).toBeLessThan(text.indexOf('[open] Release'))
    expect(text).toMatch(/M login\.ts: .*checkPassword/)
    expect(text).toContain('Paths are relative to /repo/src\n')
    expect(text).toMatch(/- npm test → exit 1, failed/)
    expect(text).toMatch(/## Errors seen[^#]*AssertionError: expected 1 to be 2/)
    expect(text).toMatch(/- git commit -m wip → ok \(abc1234\)/)
    expect(text).toMatch(/## Open calls[^#]*waiting for: npm run deploy/)
  })

  it('carries what a model summarised earlier, within its share, and not a text of its own', () => {
    const transcript = slices(...workingSession())
    const told = summary(transcript, { previous: `We chose sqlite because of locks. ${'z'.repeat(100_000)}` })
    expect(told).toContain('We chose sqlite because of locks.')
    expect(quarter(told)).toBeLessThanOrEqual(2_000)
    expect(summary(transcript, { previous: summary(transcript) })).toBe(summary(transcript))
  })

  it('does not repeat the last user message, and says where the task is when it was the only one', () => {
    const transcript = slices(user('Only task of the day'), ...step('1', 'Bash', { command: 'ls' }, 'a'))
    const text = summary(transcript, { lastUserMessage: 0 })
    expect(text).not.toContain('Only task of the day')
    expect(text).toContain('last user message')
  })

  it('gives back the text of the files touched last when the budget is large', () => {
    const source = Array.from({ length: 300 }, (_, at) => `const line${at} = compute(${at})`).join('\n')
    const transcript = slices(
      user('Edit'),
      ...step('1', 'Read', { file_path: '/repo/a.ts' }, numbered(source)),
      ...step('2', 'Edit', { file_path: '/repo/a.ts', old_string: 'compute(7)', new_string: 'derive(7)' }, 'ok'),
    )
    const text = summary(transcript, { budget: 12_000 })
    expect(text).toContain('### a.ts\nconst line0 = compute(0)\n')
    expect(text).toContain('const line7 = derive(7)\nconst line8 = compute(8)')
    expect(summary(transcript, { budget: 4_000 })).not.toContain('### a.ts')
  })

  it('tells the same from a kept manifest as from the transcript, at any place and in any order', () => {
    const transcript = slices(...longSession())
    const manifest = createManifest()
    addToManifest(manifest, transcript)
    for (const upTo of [900, 10, 450, 451, 0, 899]) {
      const options = { upTo, budget: 1_500, estimate: quarter }
      expect(extractiveSummary({ manifest, ...options })).toBe(
        extractiveSummary({ slices: transcript.slice(0, upTo), ...options }),
      )
    }
  })

  it('is empty for nothing, and for a budget in which nothing fits', () => {
    expect(summary([])).toBe('')
    for (const budget of [0, -1, Number.NaN]) expect(summary(slices(user('Do it')), { budget })).toBe('')
    expect(quarter(summary(slices(user('Do it')), { budget: 1 }))).toBeLessThanOrEqual(1)
  })

  it('never exceeds its budget, never fails, tells the same twice, and is well-formed', () => {
    fc.assert(
      fc.property(
        fc.array(anyView(), { maxLength: 25 }),
        fc.integer({ min: 0, max: 12_000 }),
        anyEstimate,
        (views, budget, estimate) => {
          const transcript = slices(...views)
          const text = summary(transcript, { budget, estimate })
          expect(text === '' || estimate(text) <= budget).toBe(true)
          expect(/\p{Surrogate}/u.test(text)).toBe(false)
          expect(summary(transcript, { budget, estimate })).toBe(text)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('holds out against estimates that make no sense', () => {
    const transcript = slices(...workingSession())
    for (const estimate of [() => Number.NaN, () => Number.POSITIVE_INFINITY, () => 1e9]) {
      expect(summary(transcript, { estimate })).toBe('')
    }
    const steep = summary(transcript, { estimate: (text) => text.length ** 2 })
    expect(steep.length ** 2).toBeLessThanOrEqual(2_000)
    expect(steep.length).toBeGreaterThan(0)
  })

  it('is linear enough for 100,000 items, and total on one enormous line', () => {
    const many = Array.from({ length: 50_000 }, (_, at) =>
      step(`c${at}`, 'Bash', { command: `run ${at}` }, `did_thing_${at}`),
    ).flat()
    expect(quarter(summary(slices(user('Go'), ...many)))).toBeLessThanOrEqual(2_000)
    const line = slices(
      user('u'.repeat(3_000_000)),
      ...step(
        '1',
        'Bash',
        { command: `echo ${'"'.repeat(400_000)}` },
        `${'A/'.repeat(1_000_000)}${'\n'.repeat(500_000)}`,
      ),
    )
    expect(quarter(summary(line))).toBeLessThanOrEqual(2_000)
  })
})

function longSession(): MessageView[] {
  const turns = Array.from({ length: 300 }, (_, at) => {
    const words =
      at === 0
        ? 'port must stay 8443; never push to main; answer in French'
        : at === 120
          ? 'use 9443 instead'
          : `go on with part ${at}`
    return [
      user(words),
      ...step(
        `c${at}`,
        'Edit',
        { file_path: `/repo/src/part${at % 7}.ts`, old_string: 'a', new_string: `loadHttpRouter(part_${at})` },
        'ok',
      ),
    ]
  })
  return turns.flat()
}

function workingSession(): MessageView[] {
  return [
    user('Fix the login'),
    ...step('1', 'Read', { file_path: '/repo/src/login.ts' }, numbered('export function checkPassword() {}')),
    ...step(
      '2',
      'TodoWrite',
      {
        todos: [
          { content: 'Write the test', status: 'in_progress' },
          { content: 'Release', status: 'pending' },
          { content: 'Read code', status: 'completed' },
        ],
      },
      'ok',
    ),
    ...step(
      '3',
      'Edit',
      { file_path: '/repo/src/login.ts', old_string: 'checkPassword()', new_string: 'checkPassword(hash)' },
      'ok',
    ),
    ...step('4', 'Bash', { command: 'npm test' }, 'Exit code 1\nFAIL login\nAssertionError: expected 1 to be 2', true),
    ...step('5', 'Bash', { command: 'git commit -m wip' }, '[main abc1234] wip'),
    assistant('The test still fails because of the salt; I deploy to look at it.'),
    message('assistant', call('6', 'Bash', { command: 'npm run deploy' })),
  ]
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
    .join('\n')
}

const anyEstimate = fc.constantFrom(
  quarter,
  (text: string) => text.length,
  (text: string) => 3 + Math.ceil(text.length / 2),
  (text: string) => new TextEncoder().encode(text).length / 3,
  (text: string) => Math.ceil(text.length / 4 + text.split('\n').length * 2),
)
