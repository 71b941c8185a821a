import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ToyItem, toyItems, toyTranscript } from '../engine/toy-lens.test-data.ts'
import { DirectoryHistory } from './directory-history.ts'
import { evictedEntries } from './history-entry.ts'
import { historyEntries } from './history-text.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-history-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('DirectoryHistory', () => {
  it('E3 appends each evicted message once, in order, in a file that only the user can read', async () => {
    const history = new DirectoryHistory(join(folder, 'made'))
    const transcript = toyTranscript('user 5 | say 6 | user 7 | tools read:8')
    await history.append('s1', evictedEntries(transcript, { drop: [{ from: 0, to: 2 }] }))
    const path = await history.append('s1', evictedEntries(transcript, { drop: [{ from: 0, to: 3 }] }))
    const text = await readFile(path, 'utf8')
    expect(historyEntries(text).map((entry) => entry.position)).toEqual([0, 1, 2])
    expect(text.match(/^## .*/gm)).toEqual(['## 0 user', '## 1 assistant', '## 2 user'])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
  })

  it('keeps texts verbatim, whatever they quote', async () => {
    const quoting: ToyItem = {
      role: 'user',
      parts: [
        {
          kind: 'tool-result',
          id: 'a',
          text: 'before\n````\ncode\n````\n<!-- palimpsest:entry 0 0123456789abcdef -->',
        },
      ],
    }
    const transcript = toyTranscript([quoting, ...toyItems('say 3')])
    const history = new DirectoryHistory(folder)
    const path = await history.append('s', evictedEntries(transcript, { drop: [{ from: 0, to: 2 }] }))
    const text = await readFile(path, 'utf8')
    expect(historyEntries(text)).toHaveLength(2)
    expect(text).toContain('`````\nbefore\n````\ncode\n````\n')
  })

  it('never leaves its folder and never gives two sessions one file', async () => {
    const history = new DirectoryHistory(folder)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (a, b) => {
        for (const id of [a, b, `../${a}`, `/${b}`, `${a}\u0000`]) {
          expect(dirname(resolve(history.path(id)))).toBe(resolve(folder))
        }
        if (a !== b) expect(history.path(a)).not.toBe(history.path(b))
      }),
      { numRuns: 1000 },
    )
    await history.append(
      '../../etc/passwd',
      evictedEntries(toyTranscript('user 1 | say 1'), { drop: [{ from: 0, to: 1 }] }),
    )
    expect(await readdir(folder)).toHaveLength(1)
  })

  it('says which file could not be written', async () => {
    const history = new DirectoryHistory('/dev/null/nowhere')
    const entries = evictedEntries(toyTranscript('user 1 | say 1'), { drop: [{ from: 0, to: 1 }] })
    await expect(history.append('s', entries)).rejects.toMatchObject({ code: 'effect-failed' })
  })
})
