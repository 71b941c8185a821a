import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { corpusFiles, hasCorpus } from '../importers/corpus.test-data.ts'
import { importSessionText } from '../importers/import-session.ts'
import type { ImportedSession } from '../importers/imported-session.ts'
import { readSessionFile } from '../importers/read-session-file.ts'
import { itemsOf } from '../importers/session-text.test-data.ts'
import { SPEAKERS } from './dialect-scripts.test-data.ts'
import { exportSession } from './export-session.ts'
import { exportedOfImport } from './exported-of-import.ts'
import type { ExportFormat, Loss } from './exported-session.ts'
import { IMPORTED_FILES } from './imported-files.test-data.ts'

/** What must not change on the way. */
function contents(session: ImportedSession) {
  return { items: itemsOf(session), compactions: session.compactions }
}

function exported(session: ImportedSession, format: ExportFormat) {
  return exportSession(exportedOfImport(session), format)
}

/** Its own dialect as a request: items as they were, and from then on the same text. */
function expectOwnDialectStable(session: ImportedSession): void {
  const first = exported(session, session.dialect as ExportFormat)
  const again = importSessionText(first.text, { recognise: () => session.dialect })
  expect(itemsOf(again)).toEqual(itemsOf(session))
  expect(exported(again, session.dialect as ExportFormat).text).toBe(first.text)
}

/** A file of another client: what the first conversion gives, the second gives again, and it loses nothing more. */
function expectFileStable(session: ImportedSession, format: 'claude-code' | 'pi'): void {
  const first = exported(session, format)
  const once = importSessionText(first.text)
  const second = exported(once, format)
  const twice = importSessionText(second.text)
  expect(contents(twice)).toEqual(contents(once))
  expect(contentLosses(second.losses)).toEqual([])
  expectMarkersMap(session, once)
  expectOpaqueFlagged(session, first.losses)
  if (session.format === format) expect(once.compactions).toEqual(session.compactions)
  if (contentLosses(first.losses).length === 0 && session.dialect === once.dialect && session.format === format) {
    expect(itemsOf(once)).toEqual(itemsOf(session))
  }
}

function expectMarkersMap(session: ImportedSession, once: ImportedSession): void {
  const told = (one: ImportedSession) =>
    one.compactions.map(({ kind, trigger, summary }) => ({ kind, trigger, summary }))
  expect(told(once)).toEqual(told(session))
}

function expectOpaqueFlagged(session: ImportedSession, losses: readonly Loss[]): void {
  const opaque = session.compactions.filter(({ kind }) => kind === 'opaque')
  const flagged = losses.find(({ what }) => what.startsWith('encrypted compaction'))
  expect(flagged?.count ?? 0).toBe(opaque.length)
}

/** What a marker cannot hold is told in every round; it is no content. */
function contentLosses(losses: readonly Loss[]): readonly string[] {
  return losses.map(({ what }) => what).filter((what) => !/compaction/.test(what))
}

const script = {
  system: 'Be brief.',
  turns: [
    {
      user: 'go',
      picture: true,
      steps: [{ said: 'look', calls: [{ id: 'c1', args: { n: 1 }, result: 'red', failed: true }] }],
      answer: 'done',
    },
    { user: 'on', picture: false, steps: [], answer: undefined },
  ],
}

describe('BB-24 Import → export → import of each format is stable; compaction markers map; opaque encrypted compaction is flagged, not silently lost', () => {
  describe.each(Object.entries(IMPORTED_FILES))('a file of %s', (format, file) => {
    const session = importSessionText(file)

    test('is read', () => {
      expect(session).toMatchObject({ format })
      expect(session.items.length).toBeGreaterThan(1)
    })

    test('as a request of its own dialect', () => expectOwnDialectStable(session))

    test.each(['claude-code', 'pi'] as const)('as a file of %s', (target) => expectFileStable(session, target))
  })

  // A request of Codex is told by its caller alone: it is read as what it looks like.
  const requests = Object.entries(SPEAKERS).filter(([dialect]) => dialect !== 'openai-codex')
  describe.each(requests)('a request of %s', (dialect, speak) => {
    const session = importSessionText(JSON.stringify(speak(script)))

    test('in its own dialect', () => {
      expect(session).toMatchObject({ format: 'request', dialect })
      expectOwnDialectStable(session)
    })

    test.each(['claude-code', 'pi'] as const)('as a file of %s', (target) => expectFileStable(session, target))
  })

  describe.runIf(hasCorpus)('recorded sessions (beside the repository, where a computer has them)', () => {
    const files = foldersOfCorpus().flatMap(corpusFiles)
    const named = files.map(({ name, path }) => [name, path] as const)

    test('are there', () => expect(files.length).toBeGreaterThan(30))

    test.each(named)('%s', { timeout: 120_000 }, async (_name, path) => {
      const session = await readSessionFile(path)
      expectOwnDialectStable(session)
      expectFileStable(session, 'claude-code')
      expectFileStable(session, 'pi')
    })
  })
})

function foldersOfCorpus(): string[] {
  const [file] = corpusFiles('claude-code')
  if (file === undefined) return []
  const root = dirname(dirname(file.path))
  const entries = readdirSync(root, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
