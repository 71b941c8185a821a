import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { artifactPointer } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { linesOf, type PageStart, pageOf } from './workspace/file-page.ts'
import { SCOPE, toolsInFolder } from './workspace.test-data.ts'

describe('pages of a file', () => {
  it('joined are the file, each bounded, each new', () => {
    const line = fc
      .oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 60 }), fc.constant('x'.repeat(90)))
      .map((text) => text.replaceAll(/[\n\r]/g, ' '))
    const bounds = fc.record({ lines: fc.integer({ min: 1, max: 5 }), characters: fc.integer({ min: 2, max: 50 }) })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), bounds, (lines, bound) => {
        const joined: string[] = []
        let next: PageStart | undefined = { line: 1 }
        while (next !== undefined) {
          const start: PageStart = next
          const page = pageOf(lines, start, bound)
          const shown = page.text.split('\n').map((one) => one.slice(one.indexOf('→') + 1))
          expect(shown.join('\n').length).toBeLessThanOrEqual(Math.max(2, bound.characters))
          expect(shown.every((one) => one.isWellFormed())).toBe(true)
          const [first = '', ...others] = shown
          if (start.character) joined.push(`${joined.pop()}${first}`, ...others)
          else joined.push(first, ...others)
          next = page.next
          if (next !== undefined) {
            const progress = next.line > start.line || (next.character ?? 0) > (start.character ?? 0)
            expect(progress).toBe(true)
          }
        }
        expect(joined).toEqual(lines)
      }),
    )
  })

  it('have the lines of the text, whatever ends them', () => {
    expect(linesOf('a\nb')).toEqual(['a', 'b'])
    expect(linesOf('a\r\nb\r\n')).toEqual(['a', 'b'])
    expect(linesOf('a\n\n')).toEqual(['a', ''])
    expect(linesOf('')).toEqual([])
  })
})

describe('read_file', () => {
  it('numbers lines, and says where to read on', async () => {
    const { root, call } = await toolsInFolder()
    await writeFile(join(root, 'a.txt'), Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join('\n'))
    expect(await call('read_file', { path: 'a.txt', offset: 3, limit: 2 })).toEqual({
      text: '3→line 3\n4→line 4\n[10 lines in all; read on with offset 5]',
      brief: '2 of 10 lines',
    })
    expect(await call('read_file', { path: 'a.txt', offset: 10 })).toEqual({ text: '10→line 10', brief: '1 line' })
    expect((await call('read_file', { path: 'a.txt', offset: 11 })).text).toContain('has 10 lines')
  })

  it('TC-38 pages one line of 400k characters: each read gives new content, and the reads joined are the line', async () => {
    const { root, call } = await toolsInFolder()
    const line = Array.from({ length: 40_000 }, (_, at) => `${at}`.padStart(9, '0')).join('🧑')
    await writeFile(join(root, 'long.json'), line)
    const pieces: string[] = []
    let where: { offset?: number; character?: number } | undefined = {}
    while (where !== undefined) {
      const { text }: { text: string } = await call('read_file', { path: 'long.json', ...where })
      expect(text.length).toBeLessThan(25_000)
      pieces.push(text.replace(/^1→/, '').replace(/\n\[.*\]$/, ''))
      const next = /offset (\d+), character (\d+)\]$/.exec(text)
      where = next === null ? undefined : { offset: Number(next[1]), character: Number(next[2]) }
    }
    expect(pieces.join('') === line).toBe(true)
    expect(new Set(pieces).size).toBe(pieces.length)
  })

  it.each([
    ['UTF-8 with a mark', Buffer.from('\uFEFFa é\n'), '1→a é\n[byte order mark]'],
    ['UTF-16LE', Buffer.from('\uFEFFa é\n', 'utf16le'), '1→a é\n[UTF-16LE]'],
    ['UTF-16BE', Buffer.from('\uFEFFa é\n', 'utf16le').swap16(), '1→a é\n[UTF-16BE]'],
    ['Latin-1', Buffer.from('a é\n', 'latin1'), '1→a é\n[not UTF-8, shown as Latin-1]'],
    ['CRLF', Buffer.from('a\r\nb\r\n'), '1→a\n2→b\n[CRLF line ends]'],
    ['nothing', Buffer.alloc(0), '[file is empty]'],
  ])('reads %s', async (_, bytes, text) => {
    const { root, call } = await toolsInFolder()
    await writeFile(join(root, 'file'), bytes)
    expect((await call('read_file', { path: 'file' })).text).toBe(text)
  })

  it.each([
    ['logo.png', Buffer.from('89504e470d0a1a0a', 'hex'), /no text: a PNG image, 8 bytes/],
    ['data.bin', Buffer.from([1, 0, 2, 0]), /no text: binary data \(\.bin\), 4 bytes/],
    ['noise', Buffer.from(Array.from({ length: 100 }, (__, at) => 1 + (at % 5))), /no text: binary data, 100 bytes/],
  ])('refuses %s with its kind and size', async (name, bytes, message) => {
    const { root, call } = await toolsInFolder()
    await writeFile(join(root, name), bytes)
    expect(await call('read_file', { path: name })).toMatchObject({
      failed: true,
      text: expect.stringMatching(message),
    })
  })

  it('names what is there instead of a file that is missing, and the tool for a folder', async () => {
    const { root, call } = await toolsInFolder()
    await mkdir(join(root, 'src'))
    await writeFile(join(root, 'src/file-page.ts'), '')
    await writeFile(join(root, 'src/zzz'), '')
    const texts = await Promise.all(
      ['src/filepage.ts', 'source/deep/a.ts', 'src'].map(async (path) => (await call('read_file', { path })).text),
    )
    expect(texts).toEqual([
      'There is no file src/filepage.ts. Its folder has file-page.ts.',
      expect.stringContaining(`Its folder is not there either; ${root} is.`),
      'src is a folder. list_files shows what is in it.',
    ])
  })

  it('does not wait for a pipe', async () => {
    const { root, call } = await toolsInFolder()
    execFileSync('bash', ['-c', 'mkfifo pipe'], { cwd: root })
    expect((await call('read_file', { path: 'pipe' })).text).toContain('no regular file')
  })

  it('D9 serves stored histories and artifacts, a real folder of that name first', async () => {
    const { root, call, stores } = await toolsInFolder()
    const key = await stores.artifacts.put(SCOPE.namespace, `${'original '.repeat(5_000)}end`)
    const first = await call('read_file', { path: artifactPointer(key) })
    const next = Number(/read on with offset (\d+)\]$/.exec(first.text)?.[1])
    const rest: string[] = [first.text.replace(/\n\[read on.*$/, '')]
    for (let offset: number | undefined = next; offset; ) {
      const { text }: { text: string } = await call('read_file', { path: `/artifacts/${key}`, offset })
      rest.push(text.replace(/\n\[read on.*$/, ''))
      const found = /read on with offset (\d+)\]$/.exec(text)?.[1]
      offset = found === undefined ? undefined : Number(found)
    }
    expect(rest.join('')).toContain(`${'original '.repeat(5_000)}end`)
    await mkdir(join(root, 'artifacts'))
    await writeFile(join(root, 'artifacts/log.txt'), 'ours')
    expect((await call('read_file', { path: 'artifacts/log.txt' })).text).toBe('1→ours')
    expect((await call('read_file', { path: '/artifacts/none' })).text).toContain('There is no')
    expect((await call('list_files', { path: '/conversation_history' })).text).toContain('Nothing has left')
  })
})
