import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownFolder, toolsInFolder } from './workspace.test-data.ts'

async function filesIn(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

const PROJECT = {
  '.gitignore': 'dist/\n*.log\n!keep.log\n',
  'b.ts': '',
  'a.ts': '',
  'dist/out.js': '',
  'x.log': '',
  'keep.log': '',
  'src/deep/deeper/c.ts': '',
  'src/.gitignore': 'generated\n!*.log\n',
  'src/y.log': '',
  'src/generated/g.ts': '',
}

describe('list_files', () => {
  it('shows a tree, sorted, without what .gitignore leaves out at any level', async () => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, PROJECT)
    await symlink('src', join(root, 'link'))
    execFileSync('git', ['init', '-q'], { cwd: root })
    expect(await call('list_files', {})).toEqual({
      text: [
        '.gitignore',
        'a.ts',
        'b.ts',
        'keep.log',
        'link (link)',
        'src/',
        '  .gitignore',
        '  deep/',
        '    deeper/ …',
        '  y.log',
        '[3 left out by .gitignore]',
      ].join('\n'),
      brief: '10 entries',
    })
    expect((await call('list_files', { path: 'src/deep', depth: 9 })).text).toBe('deeper/\n  c.ts')
    expect((await call('list_files', { depth: 1, include_ignored: true })).text).toContain('dist/ …\n')
  })

  it('gives paths that match a glob, as other tools take them', async () => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, PROJECT)
    const paths = async (asked: object) => (await call('list_files', asked)).text.split('\n')
    expect(await paths({ glob: '*.ts' })).toEqual(['a.ts', 'b.ts', 'src/deep/deeper/c.ts'])
    expect(await paths({ glob: 'src/**/*.ts' })).toEqual(['src/deep/deeper/c.ts'])
    expect(await paths({ path: 'src', glob: '**/*.{ts,log}' })).toEqual(['src/deep/deeper/c.ts', 'src/y.log'])
    expect(await paths({ path: 'dist', glob: '*.js' })).toEqual(['dist/out.js'])
    expect(await paths({ glob: '*.py' })).toEqual(['No file below . matches *.py.'])
  })

  it('is bounded, upper levels first, and says how much is left out', async () => {
    const { root, call } = await toolsInFolder()
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`many/f${1_000 + at}`, '']))
    await filesIn(root, { ...many, 'z/last': '' })
    const { text } = await call('list_files', {})
    expect(text.split('\n').slice(0, 2)).toEqual(['many/', '  f1000'])
    expect(text).toContain('  … 350 more\nz/\n  last')
    expect((await call('list_files', { path: 'many' })).text).toMatch(/\n… 50 more$/)
    expect((await call('list_files', { glob: '*' })).text).toMatch(/\[the first 400; narrow the glob/)
  })

  it.each([
    [{ path: 'none' }, 'There is no folder none.'],
    [{ path: 'a.ts' }, 'a.ts is a file. read_file shows what is in it.'],
    [{ path: '..' }, 'outside of the workspace'],
    [{ glob: '[a' }, /cannot be read|No file/],
  ])('says of %j what is wrong', async (asked, message) => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, PROJECT)
    expect((await call('list_files', asked)).text).toMatch(message)
  })

  it('leaves out what git leaves out', async () => {
    const rule = fc.constantFrom(
      'a',
      '/a',
      'a/',
      '*.x',
      '!b.x',
      'a/b',
      '**/c',
      'b*',
      '!a',
      '/b/**',
      '!/b/c',
      '# c',
      '\\!b',
    )
    const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join('\n'))
    const names = ['a', 'b.x', 'c', '!b']
    const paths = [...names, ...['b', 'b/c', 'd/a', 'd'].flatMap((folder) => names.map((name) => `${folder}/${name}`))]
    // what is a folder somewhere is no file there
    const files = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)))
    await fc.assert(
      fc.asyncProperty(rules, rules, async (top, below) => {
        const root = await ownFolder()
        execFileSync('git', ['init', '-q'], { cwd: root })
        await filesIn(root, Object.fromEntries(files.map((path) => [path, ''])))
        await filesIn(root, { '.gitignore': top, 'd/.gitignore': below })
        const known = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
          cwd: root,
          encoding: 'utf8',
        })
        const { call } = await toolsInFolder({ root })
        const { text } = await call('list_files', { glob: '**' })
        const listed = text.startsWith('No file') ? [] : text.split('\n')
        expect(listed.toSorted()).toEqual(known.split('\0').slice(0, -1).toSorted())
      }),
      { numRuns: 15 },
    )
  })
})

describe('search_files', () => {
  const files = {
    '.gitignore': 'dist\n',
    'a.ts': 'one\nexport const limit = 1\nthree\nfour\nlimit(2)\n',
    'src/b.ts': 'const LIMIT = 3\r\nnone\r\n',
    'src/c.md': 'a (limit) + b\n',
    'dist/d.ts': 'limit\n',
    'e.bin': 'limit\0\0',
  }

  it('gives the lines that match, file by file, with their numbers', async () => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, files)
    expect(await call('search_files', { pattern: 'limit\\b' })).toEqual({
      text: 'a.ts\n2: export const limit = 1\n5: limit(2)\n\nsrc/c.md\n1: a (limit) + b\n[1 binary, very large or unreadable left out]',
      brief: '3 in 2 files',
    })
    expect((await call('search_files', { pattern: '(?i)^const limit', glob: '*.ts' })).text).toContain(
      'src/b.ts\n1: const LIMIT = 3',
    )
    expect((await call('search_files', { pattern: '3$', path: 'src' })).text).toBe('src/b.ts\n1: const LIMIT = 3')
    expect((await call('search_files', { pattern: '(limit) +', literal: true })).text).toContain('src/c.md')
    expect((await call('search_files', { pattern: 'limit', path: 'dist/d.ts' })).text).toBe('dist/d.ts\n1: limit')
    expect((await call('search_files', { pattern: 'limit', include_ignored: true })).text).toContain('dist/d.ts')
  })

  it('shows lines around a match, each once', async () => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, files)
    const { text } = await call('search_files', { pattern: 'limit', path: 'a.ts', context: 1 })
    expect(text).toBe('a.ts\n1- one\n2: export const limit = 1\n3- three\n4- four\n5: limit(2)')
  })

  it('is bounded in matches, lines and characters', async () => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, {
      'long.json': `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}`,
      'many.txt': 'needle and more\n'.repeat(2_000),
    })
    const { text } = await call('search_files', { pattern: 'needle' })
    expect(text).toMatch(/^long\.json\n1: …x{80}needley+…\n\nmany\.txt\n1: needle/)
    expect(text).toContain('[stopped at 100 lines; there may be more')
    expect((await call('search_files', { pattern: 'e', matches: 500, context: 10 })).text.length).toBeLessThan(25_000)
  })

  it.each([
    [{ pattern: 'a(' }, /no regular expression: .*set literal/],
    [{ pattern: 'a', path: 'none' }, /There is no none/],
    [{ pattern: 'nowhere' }, /Nothing matches nowhere\./],
    [{ pattern: 'SECRET', path: '../x' }, /outside of the workspace/],
  ])('says of %j what is wrong', async (asked, message) => {
    const { root, call } = await toolsInFolder()
    await filesIn(root, files)
    expect((await call('search_files', asked)).text).toMatch(message)
  })
})
