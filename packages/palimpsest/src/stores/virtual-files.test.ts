import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryStores } from './directory-stores.ts'
import { memoryStores } from './memory-stores.ts'
import type { Stores } from './ports.ts'
import { safeName } from './safe-name.ts'
import { entry } from './store-examples.ts'
import { virtualFiles } from './virtual-files.ts'

const MINE = { namespace: 'n', session: 's1' }

/** Stores with a history of mine and of others, and artifacts of mine and of another namespace. */
async function filled(stores: Stores) {
  await stores.history.append(MINE, [
    entry(0, '## 0 user\n\nkeep port 8443\n'),
    entry(1, `## 1 tool\n\n${'x'.repeat(50_000)}\n`),
  ])
  await stores.history.append({ ...MINE, session: 'helper' }, [entry(0, '## 0 user\n\nhelp with the port\n')])
  await stores.history.append({ ...MINE, session: 'other' }, [entry(0, 'forbidden')])
  await stores.history.append({ namespace: 'm', session: 's1' }, [entry(0, 'forbidden')])
  const key = await stores.artifacts.put('n', 'line one\nline two with a pearl\n')
  const foreign = await stores.artifacts.put('m', 'forbidden')
  return { stores, key, foreign, files: virtualFiles(stores, MINE) }
}

describe('virtualFiles', () => {
  it('has the history of the session, in pages that join to it', async () => {
    const { files } = await filled(memoryStores())
    const first = await files.read('/conversation_history/s1.md', { limit: 1_000 })
    expect(first).toMatchObject({ status: 'found', next: 1_000 })
    const whole: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await files.read('conversation_history/s1.md', { offset, limit: 1_000_000 })
      if (page.status === 'missing') throw new TypeError(page.text)
      expect(page.text.length).toBeLessThanOrEqual(20_000)
      whole.push(page.text)
      offset = page.next
    }
    expect(whole.join('')).toBe(`## 0 user\n\nkeep port 8443\n\n## 1 tool\n\n${'x'.repeat(50_000)}\n`)
  })

  it('has artifacts by path and by reference, to be read and searched', async () => {
    const { files, key } = await filled(memoryStores())
    const text = 'line one\nline two with a pearl\n'
    expect(await files.read(`/artifacts/${key}`)).toEqual({ status: 'found', text })
    expect(await files.read(` artifact://${key}`)).toEqual({ status: 'found', text })
    expect(await files.read(`/artifacts/${key}`, { offset: 9, limit: 8 })).toEqual({
      status: 'found',
      text: 'line two',
      next: 17,
    })
    expect((await files.search('PEARL', { path: `/artifacts/${key}` })).text).toContain('## message 0, offset 25')
  })

  it('searches the history by default, with the index of the store where there is one', async () => {
    const { stores, files } = await filled(memoryStores())
    expect((await files.search('8443')).text).toMatch(/^1 found, 1 shown\.[\s\S]*keep port 8443/)
    expect((await files.search('forbidden')).text).toBe('None of these words is in what is stored.')
    const history = {
      ...stores.history,
      search: async () => ({ found: 1, matches: [{ position: 7, offset: 0, excerpt: 'by index' }] }),
    }
    const indexed = virtualFiles({ ...stores, history }, MINE)
    expect((await indexed.search('8443', { path: '/conversation_history/s1.md' })).text).toContain('by index')
  })

  it('lists its folders, and of histories only those that are there and may be read', async () => {
    const { stores, files } = await filled(memoryStores())
    expect((await files.list()).text).toBe('/artifacts/\n/conversation_history/')
    expect((await files.list('/conversation_history/')).text).toBe('/conversation_history/s1.md')
    expect((await files.list('artifacts')).text).toContain('not listed')
    const more = virtualFiles(stores, { ...MINE, sessions: ['helper', 'helper', 'unborn'] })
    expect((await more.list('/conversation_history')).text).toBe(
      '/conversation_history/s1.md\n/conversation_history/helper.md',
    )
    expect((await more.read('/conversation_history/helper.md')).text).toContain('help with the port')
    const many = virtualFiles(stores, { ...MINE, sessions: Array.from({ length: 300 }, (_, at) => `many${at}`) })
    for (let at = 0; at < 300; at++)
      await stores.history.append({ namespace: 'n', session: `many${at}` }, [entry(0, 'x')])
    expect((await many.list('/conversation_history')).text.split('\n')).toHaveLength(201)
  })

  it('says clearly what is not there, and what is', async () => {
    const { files } = await filled(memoryStores())
    const texts = await Promise.all([
      files.read('/conversation_history/other.md'),
      files.read('/etc/passwd'),
      files.list('/etc'),
      files.search('x', { path: '/artifacts/../x' }),
      files.read(`/artifacts/${'0'.repeat(32)}`),
      virtualFiles(memoryStores(), MINE).read('/conversation_history/s1.md'),
      virtualFiles(memoryStores(), MINE).list('/conversation_history'),
      virtualFiles(memoryStores(), MINE).search('x'),
    ])
    for (const { status } of texts) expect(status).toBe('missing')
    const noFile = (path: string) =>
      `There is no file "${path}". Read /conversation_history/s1.md, or /artifacts/<key> of an artifact.`
    expect(texts.map(({ text }) => text)).toEqual([
      noFile('/conversation_history/other.md'),
      noFile('/etc/passwd'),
      'There is no folder "/etc". There are /artifacts/ and /conversation_history/.',
      noFile('/artifacts/../x'),
      'There is no such artifact.',
      ...Array.from({ length: 3 }, () => 'Nothing has left the conversation yet.'),
    ])
    expect((await files.read('y'.repeat(1_000_000))).text.length).toBeLessThan(500)
    await expect(files.read('/conversation_history/s1.md', { offset: -1 })).rejects.toThrow(RangeError)
  })

  it('tells its paths from those of real files', async () => {
    const { files, key } = await filled(memoryStores())
    for (const path of ['/conversation_history', '/conversation_history/x.md', 'artifacts/x', `artifact://${key}`]) {
      expect(await files.holds(path)).toBe(true)
    }
    for (const path of ['/', '/src/artifacts/x', '/artifacts2/x', 'README.md', '', '/conversation_history.md']) {
      expect(await files.holds(path)).toBe(false)
    }
  })

  it('E3 reads the own version of a message of this session', async () => {
    const stores = memoryStores()
    const versions = ['1', '2'].map((at) => ({ ...entry(0, `version ${at}`), fingerprint: at.repeat(16) }))
    for (const session of ['s1', 'helper']) await stores.history.append({ ...MINE, session }, versions)
    const files = virtualFiles(stores, { ...MINE, sessions: ['helper'], own: () => '2'.repeat(16) })
    expect((await files.read('/conversation_history/s1.md')).text).toBe('version 2')
    expect((await files.search('1')).text).toContain('None of these words')
    expect((await files.read('/conversation_history/helper.md')).text).toBe('version 1\nversion 2')
  })

  it('gives up when the caller does', async () => {
    const { files, key } = await filled(memoryStores())
    const reason = new Error('cancelled')
    const signal = AbortSignal.abort(reason)
    for (const path of ['/conversation_history/s1.md', `/artifacts/${key}`]) {
      await expect(files.read(path, { signal })).rejects.toBe(reason)
      await expect(files.search('x', { path, signal })).rejects.toBe(reason)
    }
    await expect(files.list('/conversation_history', { signal })).rejects.toBe(reason)
  })
})

const hostilePart = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '/',
    '//',
    '\\',
    '%2e%2e',
    '%2f',
    '%00',
    '\0',
    '~',
    'C:\\',
    'file://',
    '\u2024',
    '\ud800',
    's1',
    'other',
  ),
  fc.constantFrom(
    'conversation_history',
    'artifacts',
    'artifact://',
    '.md',
    'n',
    'm',
    's1.md',
    'other.md',
    'history',
    'etc/passwd',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const hostilePath = fc.array(hostilePart, { maxLength: 8 }).map((parts) => parts.join(''))

describe.each(['memory', 'directory'] as const)('no path leads out of its scope: %s', (kind) => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-files-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('whatever the path, whatever the session', async () => {
    const { stores, foreign } = await filled(
      kind === 'memory' ? memoryStores() : directoryStores(join(folder, 'stores')),
    )
    const before = await readdir(folder, { recursive: true })
    const paths = fc.oneof(
      hostilePath,
      hostilePath.map((path) => `/conversation_history/${path}`),
      hostilePath.map((path) => `/artifacts/${path}`),
    )
    await fc.assert(
      fc.asyncProperty(paths, hostilePath, async (path, session) => {
        const theirs = session === 's1' || session === 'other' ? [] : [session]
        const files = virtualFiles(stores, { ...MINE, sessions: theirs })
        const wrong = [
          path,
          `${path}${foreign}`,
          `/artifacts/${foreign}`,
          join(folder, 'stores/history/n/other.md'),
          `/conversation_history/../m/${safeName(session)}.md`,
        ]
        for (const one of wrong) {
          const answers = [await files.read(one), await files.list(one), await files.search('forbidden', { path: one })]
          for (const { text } of answers) {
            expect(text.replace(JSON.stringify(one).slice(0, 200), '')).not.toContain('forbidden')
            expect(text.length).toBeLessThan(21_000)
          }
        }
      }),
      { numRuns: 100 },
    )
    expect(await readdir(folder, { recursive: true })).toEqual(before)
  })

  it('but the path that the store names for a session of the scope leads there', async () => {
    const { stores } = await filled(kind === 'memory' ? memoryStores() : directoryStores(join(folder, 'named')))
    const path = await stores.history.append({ ...MINE, session: 'helper' }, [])
    const other = await stores.history.append({ ...MINE, session: 'other' }, [])
    const files = virtualFiles(stores, { ...MINE, sessions: ['helper'] })
    expect((await files.read(path)).text).toContain('help with the port')
    expect(await files.holds(path)).toBe(true)
    expect((await files.read(other)).status).toBe('missing')
  })

  it('and any session has a path of its own', async () => {
    const stores = kind === 'memory' ? memoryStores() : directoryStores(join(folder, 'any'))
    await fc.assert(
      fc.asyncProperty(hostilePath, hostilePath, async (session, another) => {
        await stores.history.append({ namespace: 'n', session }, [entry(0, `text of ${JSON.stringify(session)}`)])
        const files = virtualFiles(stores, { namespace: 'n', session, sessions: [another] })
        const [path = ''] = (await files.list('/conversation_history')).text.split('\n')
        expect(path).toBe(`/conversation_history/${safeName(session)}.md`)
        expect((await files.read(path)).text).toBe(`text of ${JSON.stringify(session)}`)
      }),
      { numRuns: 100 },
    )
  })
})
