import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand, palimpsest, palimpsestHere, repository, scratchFolder } from './built-command.test-data.ts'

const corpus = join(repository, '../shared/corpus')
const present = existsSync(corpus)
const scratch = scratchFolder()
beforeAll(buildCommand)
afterAll(scratch.remove)

/** Real sessions, largest last; on a machine without them these tests are skipped. */
const sessions = filesOf(['claude-code', 'codex-rollout', 'pi-session'])
const requests = filesOf(['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-api', 'bedrock-converse'])
const windows = ['32k', '100k', '1M']

if (!present) console.warn('real sessions are not at ../shared/corpus: their tests are skipped')

describe.skipIf(!present).each(sessions)('the recorded session %s', (name) => {
  const file = join(corpus, name)

  it.each(windows)(
    'compacts at %s into a request that passes check, and its plan gives the same bytes',
    async (window) => {
      const plan = join(scratch.path, 'plan.json')
      const report = join(scratch.path, 'report.json')
      const { code, out, err } = await palimpsestHere([
        'compact',
        file,
        '--window',
        window,
        '--plan-out',
        plan,
        '--json-report',
        report,
      ])
      const facts = JSON.parse(readFileSync(report, 'utf8'))
      if (code === 3) {
        // A transcript may hold one message that no window of this size takes: then it must be named.
        expect([out, facts.status]).toEqual(['', 'refused'])
        expect(err).toMatch(/error: .*(alone are|tokens: )/)
        return
      }
      expect([code, err]).toEqual([0, expect.not.stringMatching(/error/)])
      expect((await palimpsestHere(['check'], out)).out).toMatch(/no violations/)
      const replayed = await palimpsestHere(['replay', file, '--plan', plan, '--window', window])
      expect(replayed.out === out).toBe(true)
      if (facts.status === 'compacted') {
        expect(facts.tokens.after).toBeLessThan(facts.tokens.before)
        expect(facts.tokens.after).toBeLessThanOrEqual(facts.limits.limit)
      }
    },
  )
})

describe.skipIf(!present)('real files through the built command', () => {
  it.each(requests)('%s goes out below the trigger as it came', async (name) => {
    const file = join(corpus, name)
    const text = readFileSync(file, 'utf8')
    const { code, out, err } = await palimpsestHere(['compact', file, '--window', '1M'])
    expect([code, out === text, err]).toEqual([0, true, expect.stringMatching(/below the trigger/)])
  })

  it('profiles every session through two policies, and says on standard error what it could not', () => {
    const files = sessions.map((name) => join(corpus, name))
    const policies = 'palimpsest,keen'
    const { code, out, err } = palimpsest(['profile', ...files, '--policy', policies, '--window', '100k', '--json'])
    expect([code, err]).toEqual([0, ''])
    const { sessions: profiled } = JSON.parse(out)
    expect(profiled).toHaveLength(files.length)
    for (const { profiles } of profiled) expect(profiles).toHaveLength(2)
  })
})

function filesOf(folders: readonly string[]): readonly string[] {
  if (!present) return ['(none here)']
  return folders
    .flatMap((folder) => readdirSync(join(corpus, folder)).map((name) => join(folder, name)))
    .sort((a, b) => statSync(join(corpus, a)).size - statSync(join(corpus, b)).size)
}
