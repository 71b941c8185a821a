import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folderWith, writeFiles } from '../config/folder-tree.test-data.ts'
import type { SystemBlock } from '../loop/middleware.ts'
import { skillFolders } from '../memory/skills.ts'
import { type MemoryOptions, memorySlot } from './memory.ts'

describe('AGENTS.md', () => {
  it('D11 adds nothing where nobody wrote one, nor where they are empty', async () => {
    const top = await folderWith({ 'repo/.git/HEAD': '', 'repo/AGENTS.md': ' \n', 'repo/.agents/skills/x': '' })
    expect(await blocks(top, 'repo')).toEqual([])
  })

  it('D10 stands in one volatile block: the user first, then from the root of the repository to the working folder', async () => {
    const top = await folderWith({
      'home/.config/palimpsest/AGENTS.md': 'of the user',
      'home/AGENTS.md': 'of the home folder',
      'home/repo/.git/HEAD': '',
      'home/repo/AGENTS.md': 'of the root\n',
      'home/repo/a/x': '',
      'home/repo/a/b/AGENTS.md': 'of b',
    })
    const [block, ...others] = await blocks(top, 'home/repo/a/b')
    expect(others).toEqual([])
    expect(block?.volatile).toBe(true)
    expect(sources(block)).toEqual([
      [join(top, 'home/.config/palimpsest/AGENTS.md'), 'of the user'],
      [join(top, 'home/repo/AGENTS.md'), 'of the root'],
      [join(top, 'home/repo/a/b/AGENTS.md'), 'of b'],
    ])
  })

  it('outside of a repository counts from the home folder on, and elsewhere in the working folder alone', async () => {
    const top = await folderWith({
      'AGENTS.md': 'top',
      'home/AGENTS.md': 'home',
      'home/plain/AGENTS.md': 'plain',
      'other/sub/AGENTS.md': 'sub',
      'other/AGENTS.md': 'other',
    })
    const texts = async (cwd: string) => sources((await blocks(top, cwd))[0]).map(([, text]) => text)
    expect(await texts('home/plain')).toEqual(['home', 'plain'])
    expect(await texts('other/sub')).toEqual(['sub'])
  })

  it('is read anew each turn', async () => {
    const top = await folderWith({ 'AGENTS.md': 'one' })
    const slot = memorySlot(options(top, '.'))
    const turn = { signal: new AbortController().signal }
    const first = await slot.contribute?.(turn)
    expect(await slot.contribute?.(turn)).toEqual(first)
    await writeFiles(top, { 'AGENTS.md': 'two' })
    expect(sources((await slot.contribute?.(turn))?.system?.[0])[0]?.[1]).toBe('two')
    await rm(join(top, 'AGENTS.md'))
    expect((await slot.contribute?.(turn))?.system).toEqual([])
  })

  it('is cut where it is huge, between two characters, and says so', async () => {
    const top = await folderWith({ 'AGENTS.md': `x${'é'.repeat(100_000)}` })
    const [[, text] = ['', '']] = sources((await blocks(top, '.'))[0])
    expect(text).toMatch(/^xé+\n\[Note: the first 32768 of its 200001 bytes\. Read the file for the rest\.\]$/)
    expect(text.length).toBeLessThan(17_000)
  })

  it('is read in other encodings, as far as they can be known', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('übrig', 'utf16le')])
    const top = await folderWith({
      '.git/HEAD': '',
      'AGENTS.md': utf16,
      'a/AGENTS.md': Buffer.from('f\xfcr', 'latin1'),
      'a/b/AGENTS.md': Buffer.from('a\0b'),
      'a/b/c/AGENTS.md': '\ufeffmarked',
    })
    const [block] = await blocks(top, 'a/b/c')
    expect(sources(block).map(([, text]) => text)).toEqual([
      'übrig',
      'f\ufffdr\n[Note: it is not UTF-8, some characters are lost. Read the file for the rest.]',
      'marked',
    ])
    expect(block?.text).toContain(`[Note: ${join(top, 'a/b/AGENTS.md')} is left out: it is no text.]`)
  })

  it('what cannot be read becomes a warning, told once', async () => {
    const top = await folderWith({ '.git/HEAD': '', 'a/AGENTS.md': 'text' })
    await mkdir(join(top, 'AGENTS.md'))
    const told: string[] = []
    const slot = memorySlot({ ...options(top, 'a'), onWarning: (warning) => told.push(warning) })
    const turn = { signal: new AbortController().signal }
    await slot.contribute?.(turn)
    const contribution = await slot.contribute?.(turn)
    expect(told).toEqual([`${join(top, 'AGENTS.md')} is left out: it is no file.`])
    expect(sources(contribution?.system?.[0])).toEqual([[join(top, 'a/AGENTS.md'), 'text']])
  })

  it.skipIf(process.getuid?.() === 0)('a file without the right to read it is named', async () => {
    const top = await folderWith({ 'AGENTS.md': 'text' })
    await chmod(join(top, 'AGENTS.md'), 0)
    expect((await blocks(top, '.'))[0]?.text).toContain('is left out: it cannot be read (EACCES).')
  })

  it.skipIf(process.platform !== 'linux')('a file that fails while it is read is named', async () => {
    const top = await folderWith({ 'home/.config/palimpsest/x': '' })
    await symlink('/proc/self/mem', join(top, 'home/.config/palimpsest/AGENTS.md'))
    expect((await blocks(top, '.'))[0]?.text).toContain('palimpsest/AGENTS.md is left out: it cannot be read (EIO).')
  })

  it('a link counts once, where it leads inside; never what lies outside of the repository', async () => {
    const top = await folderWith({
      'secret.txt': 'secret',
      'repo/.git/HEAD': '',
      'repo/doc/guide.md': 'guide',
      'repo/a/b/x': '',
    })
    await symlink('doc/guide.md', join(top, 'repo/AGENTS.md'))
    await symlink('../doc/guide.md', join(top, 'repo/a/AGENTS.md'))
    await symlink('../../../secret.txt', join(top, 'repo/a/b/AGENTS.md'))
    const [block] = await blocks(top, 'repo/a/b')
    expect(sources(block)).toEqual([[join(top, 'repo/AGENTS.md'), 'guide']])
    expect(block?.text).toContain(`a/b/AGENTS.md is left out: it leads out of ${join(top, 'repo')}.`)
    expect(block?.text).not.toContain('secret\n')
  })

  it('a link that leads nowhere, or to itself, is none', async () => {
    const top = await folderWith({ '.git/HEAD': '', 'a/x': '' })
    await symlink('gone', join(top, 'AGENTS.md'))
    await symlink('AGENTS.md', join(top, 'a/AGENTS.md'))
    expect(await blocks(top, 'a')).toEqual([])
  })

  it('stops with the turn', async () => {
    const top = await folderWith({ 'AGENTS.md': 'text' })
    const stopped = new Error('stopped')
    const signal = AbortSignal.abort(stopped)
    await expect(Promise.resolve(memorySlot(options(top, '.')).contribute?.({ signal }))).rejects.toBe(stopped)
  })
})

describe('skills', () => {
  it('are listed by name, description and path in a volatile block of their own', async () => {
    const top = await folderWith({
      'AGENTS.md': 'text',
      '.git/HEAD': '',
      '.agents/skills/b/SKILL.md': skill('beta', '>\n  Makes\n  betas'),
      '.claude/skills/a/SKILL.md':
        '\ufeff---\r\nname: "alpha"\r\ndescription: Makes alphas\r\nlicense: MIT\r\n---\r\n# Alpha\r\n',
      '.claude/skills/README.md': 'no skill',
      '.claude/skills/empty/notes.md': 'no skill',
      'home/.config/palimpsest/skills/u/SKILL.md': skill('upsilon', 'Makes upsilons'),
      'more/c/SKILL.md': skill('gamma', 'Makes gammas'),
    })
    const [, block] = await blocks(top, '.', { skills: [join(top, 'more')] })
    expect(block?.volatile).toBe(true)
    expect(list(block)).toEqual([
      `- alpha: Makes alphas (${top}/.claude/skills/a/SKILL.md)`,
      `- beta: Makes betas (${top}/.agents/skills/b/SKILL.md)`,
      `- gamma: Makes gammas (${top}/more/c/SKILL.md)`,
      `- upsilon: Makes upsilons (${top}/home/.config/palimpsest/skills/u/SKILL.md)`,
    ])
  })

  it('of two with one name the nearer one counts, and the other is told', async () => {
    const top = await folderWith({
      '.git/HEAD': '',
      '.palimpsest/skills/x/SKILL.md': skill('same', 'of the repository'),
      'sub/.agents/skills/y/SKILL.md': skill('same', 'of the folder'),
      'home/.config/palimpsest/skills/z/SKILL.md': skill('same', 'of the user'),
    })
    const [block] = await blocks(top, 'sub')
    expect(list(block)).toEqual([`- same: of the folder (${top}/sub/.agents/skills/y/SKILL.md)`])
    const other = `is left out: ${top}/sub/.agents/skills/y/SKILL.md has the same name, same.]`
    expect(block?.text).toContain(`[Note: ${top}/.palimpsest/skills/x/SKILL.md ${other}`)
    expect(block?.text).toContain(`[Note: ${top}/home/.config/palimpsest/skills/z/SKILL.md ${other}`)
  })

  it.each([
    ['no front matter', /it does not begin with fields/],
    ['text\n---\nname: x\ndescription: y\n---', /it does not begin with fields/],
    ['---\nname: x\ndescription: y', /it does not begin with fields/],
    ['---\n---\n', /its front matter has no fields/],
    ['---\n- name\n---\n', /its front matter has no fields/],
    ['---\nname: x\ntools: [x\n---\n', /its front matter is no YAML: /],
    ['---\nname: x\nname: y\n---\n', /its front matter is no YAML: /],
    ['---\ndescription: y\n---\n', /has no name/],
    ['---\nname: 5\ndescription: y\n---\n', /has no name/],
    ['---\nname: x\n---\n', /has no description/],
    ['---\nname: x\ndescription: " "\n---\n', /has no description/],
    [`---\nname: ${'x'.repeat(65)}\ndescription: y\n---\n`, /its name has more than 64 characters/],
    [`---\nname: x\ndescription: ${'y'.repeat(20_000)}\n---\n`, /it does not begin with fields/],
    ['---\nname: x\0\n---\n', /it is no text/],
    [`---\na: &a [x,x]\n${bomb()}\nname: x\ndescription: y\n---\n`, /its front matter is no YAML: /],
  ])('a faulty one becomes a warning: %j', async (text, fault) => {
    const top = await folderWith({
      '.claude/skills/x/SKILL.md': text,
      '.claude/skills/good/SKILL.md': skill('good', 'Good'),
    })
    const [block] = await blocks(top, '.')
    expect(list(block)).toEqual([`- good: Good (${top}/.claude/skills/good/SKILL.md)`])
    expect(block?.text.split('\n').at(-1)).toMatch(
      new RegExp(`^\\[Note: ${top}/.claude/skills/x/SKILL.md is left out: .*\\]$`),
    )
    expect(block?.text).toMatch(fault)
  })

  it.each([
    ['Use this: when a table is needed', 'Use this: when a table is needed'],
    ['Use this: when\n  a table: is needed', 'Use this: when a table: is needed'],
    ['Use this:\r', 'Use this:'],
    ['[Beta] tables: all of them', '[Beta] tables: all of them'],
    ['"Tables": all of them', '"Tables": all of them'],
    ['@tables and `lists`', '@tables and `lists`'],
    ['*Tables*: never', '*Tables*: never'],
    ['"Quoted: as it should be"', 'Quoted: as it should be'],
    ['>-\n  Folded: as it\n  should be', 'Folded: as it should be'],
  ])('a description that nobody put in quotes is taken as it is written: %j', async (written, meant) => {
    const top = await folderWith({ '.claude/skills/x/SKILL.md': `---\nname: x\ndescription: ${written}\n---\n` })
    const [block] = await blocks(top, '.')
    expect(list(block)).toEqual([`- x: ${meant} (${top}/.claude/skills/x/SKILL.md)`])
  })

  it('descriptions and lists are bounded', async () => {
    const many = Array.from({ length: 103 }, (_, at) => [
      `.claude/skills/${at}/SKILL.md`,
      skill(`n${at}`, 'd'.repeat(5_000)),
    ])
    const top = await folderWith(Object.fromEntries(many))
    const lines = list((await blocks(top, '.'))[0])
    expect(lines).toHaveLength(101)
    expect(lines.at(-1)).toBe('- and 3 more that are not listed')
    expect(lines[0]?.length).toBeLessThan(1_200)
  })

  it('links lead to them inside of the repository, never out of it; the user may link what he likes', async () => {
    const top = await folderWith({
      'far/f/SKILL.md': skill('far', 'Outside'),
      'repo/.git/HEAD': '',
      'repo/shared/s/SKILL.md': skill('shared', 'Inside'),
      'repo/.claude/skills/x': '',
      'home/.config/palimpsest/skills/x': '',
      'own/o/SKILL.md': skill('own', 'Of the user'),
    })
    await symlink('../../shared/s', join(top, 'repo/.claude/skills/s'))
    await symlink('../.claude/skills', join(top, 'repo/.claude/again'))
    await symlink('../../../far/f', join(top, 'repo/.claude/skills/f'))
    await mkdir(join(top, 'repo/.agents'))
    await symlink('../../far', join(top, 'repo/.agents/skills'))
    await mkdir(join(top, 'repo/.palimpsest'))
    await symlink('../.claude/skills', join(top, 'repo/.palimpsest/skills'))
    await symlink(join(top, 'own/o'), join(top, 'home/.config/palimpsest/skills/o'))
    const [block] = await blocks(top, 'repo')
    expect(list(block).map((line) => line.split(':')[0])).toEqual(['- own', '- shared'])
    expect(block?.text).toContain(`.agents/skills is left out: it leads out of ${top}/repo.`)
    expect(block?.text).toContain(`f/SKILL.md is left out: it leads out of ${top}/repo.`)
    const folders = await skillFolders(places(top, 'repo'))
    expect(folders).toContain(join(top, 'repo/shared/s'))
    expect(folders).toContain(join(top, 'own/o'))
    expect(folders.some((folder) => folder.startsWith(join(top, 'far')))).toBe(false)
  })

  it('their folders are what a reader must be allowed to read', async () => {
    const top = await folderWith({
      '.git/HEAD': '',
      '.claude/skills/a/SKILL.md': skill('a', 'A'),
      'sub/x': '',
      'more/x': '',
    })
    const folders = await skillFolders({ ...places(top, 'sub'), skills: [join(top, 'more'), join(top, 'gone')] })
    expect(folders).toEqual([join(top, 'more'), join(top, '.claude/skills')])
  })
})

it('whatever bytes stand in the files, there is no failure, and the same files give the same text', async () => {
  const top = await folderWith()
  const front = fc.string().map((text) => new TextEncoder().encode(`---\n${text}\n---\n`))
  const fields = fc.jsonValue().map((value) => new TextEncoder().encode(`---\nname: ${JSON.stringify(value)}\n---\n`))
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), front, fields)
  await fc.assert(
    fc.asyncProperty(bytes, bytes, async (instructions, one) => {
      await writeFiles(top, { 'AGENTS.md': instructions, '.agents/skills/x/SKILL.md': one })
      const made = await blocks(top, '.')
      expect(await blocks(top, '.')).toEqual(made)
      for (const { text } of made) expect(text.isWellFormed()).toBe(true)
    }),
    { numRuns: 150 },
  )
})

function skill(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nDo this.\n`
}

/** A few lines that would grow to millions of values. */
function bomb(): string {
  return 'bcdefghij'
    .split('')
    .map((name) => `${name}: &${name} [${`*${String.fromCharCode(name.charCodeAt(0) - 1)},`.repeat(9)}x]`)
    .join('\n')
}

function places(top: string, cwd: string) {
  const home = join(top, 'home')
  return { cwd: join(top, cwd), home, configFolder: join(home, '.config', 'palimpsest') }
}

function options(top: string, cwd: string): MemoryOptions {
  return { cwd: join(top, cwd), home: join(top, 'home') }
}

async function blocks(top: string, cwd: string, more: Partial<MemoryOptions> = {}): Promise<readonly SystemBlock[]> {
  const slot = memorySlot({ ...options(top, cwd), ...more })
  const contribution = await slot.contribute?.({ signal: new AbortController().signal })
  return contribution?.system ?? []
}

/** Path and text of each file in the block. */
function sources(block: SystemBlock | undefined): readonly (readonly [string, string])[] {
  const files = (block?.text ?? '').matchAll(/<instructions from="(.*)">\n([\s\S]*?)\n<\/instructions>/g)
  return [...files].map(([, path = '', text = '']) => [path, text] as const)
}

function list(block: SystemBlock | undefined): readonly string[] {
  return (block?.text ?? '').split('\n').filter((line) => line.startsWith('- '))
}
