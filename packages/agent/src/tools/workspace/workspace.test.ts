import { mkdir, readdir, readFile, realpath, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInside } from '../../folders/inside.ts'
import { ToolFailure } from '../agent-tool.ts'
import { ownFolder, toolsInFolder } from '../workspace.test-data.ts'
import { readBytes, writeBytes } from './files.ts'
import { Workspace } from './workspace.ts'

/** A workspace beside which there is something to be found, with links of every kind into and out of it. */
async function besetFolder() {
  const base = await ownFolder()
  const root = join(base, 'work')
  const readable = join(base, 'skills')
  for (const folder of [join(root, 'src/deep'), join(base, 'secret'), join(base, 'work-not'), readable]) {
    await mkdir(folder, { recursive: true })
    await writeFile(
      join(folder, 'file.txt'),
      folder.startsWith(`${root}/`) ? 'ours' : folder === readable ? 'skill' : 'SECRET',
    )
  }
  const links: readonly (readonly [string, string])[] = [
    ['out', join(base, 'secret')],
    ['up', '..'],
    ['out-file', join(base, 'secret/file.txt')],
    ['in', 'src'],
    ['chain', 'out'],
    ['dangling', join(base, 'secret/none')],
    ['dangling-in', 'src/none'],
    ['circle', 'circle'],
    ['src/deep/away', '../../../secret'],
  ]
  for (const [name, target] of links) await symlink(target, join(root, name))
  return { base, root, readable }
}

const STEPS = [
  '..',
  '.',
  '',
  'src',
  'deep',
  'file.txt',
  'out',
  'up',
  'out-file',
  'in',
  'chain',
  'dangling',
  'dangling-in',
  'circle',
  'away',
  'secret',
  'work',
  'work-not',
  'new',
  'skills',
  '~',
  'SRC',
  '.. ',
  '\\..',
  '%2e%2e',
]

describe('the confinement of paths', () => {
  it('leads no path out of the workspace, nor a write into what is only read', async () => {
    const { base, root, readable } = await besetFolder()
    const workspace = new Workspace({ root, readable: [readable] })
    const steps = fc.array(fc.constantFrom(...STEPS), { maxLength: 7 })
    const start = fc.constantFrom('', '/', root, base, `${root}/`, '/proc/self/root', '/proc/self/cwd', 'file://')
    let inside = 0
    await fc.assert(
      fc.asyncProperty(
        start,
        steps,
        fc.constantFrom('read' as const, 'write' as const),
        async (first, rest, purpose) => {
          const place = await workspace.locate([first, ...rest].join('/'), purpose).catch((error: unknown) => {
            expect(error).toBeInstanceOf(ToolFailure)
            return undefined
          })
          if (place === undefined) return
          inside += 1
          const allowed = isInside(place.real, root) || (purpose === 'read' && isInside(place.real, readable))
          expect(allowed, place.real).toBe(true)
          const stands = await realpath(place.real).catch(() => place.real)
          expect(stands).toBe(place.real)
        },
      ),
      { numRuns: 1_000 },
    )
    expect(inside).toBeGreaterThan(50)
  })

  it('holds for every tool: nothing from outside is shown, nothing there is changed', async () => {
    const { base, root } = await besetFolder()
    const { call } = await toolsInFolder({ root })
    const within = STEPS.filter((step) => !/secret|work-not|skills/.test(step))
    const path = fc.array(fc.constantFrom(...within), { minLength: 1, maxLength: 5 }).map((steps) => steps.join('/'))
    const tool = fc.constantFrom('read_file', 'list_files', 'write_file', 'edit_file')
    const more = { write_file: { content: 'harmless' }, edit_file: { old_text: 'SECRET', new_text: 'gone' } }
    await fc.assert(
      fc.asyncProperty(tool, path, async (name, where) => {
        const { text, failed } = await call(name, { path: where, ...more[name as keyof typeof more] })
        if (failed !== true) expect(text).not.toMatch(/SECRET|secret|work-not/)
      }),
      { numRuns: 200 },
    )
    expect((await call('search_files', { pattern: 'SECRET' })).text).toBe('Nothing matches SECRET.')
    for (const folder of ['secret', 'work-not']) {
      expect(await readFile(join(base, folder, 'file.txt'), 'utf8')).toBe('SECRET')
      expect(await readdir(join(base, folder))).toEqual(['file.txt'])
    }
  })

  it.each([
    ['../secret/file.txt', /"\.\.\/secret\/file\.txt" .*outside of the workspace/],
    ['out/file.txt', /"out\/file\.txt" leads to ".*secret\/file\.txt", outside/],
    ['out/new/deep.txt', /outside of the workspace/],
    ['dangling', /outside of the workspace/],
    ['circle', /in a circle/],
    ['src/deep/file.txt/x', /a part of it is a file/],
    ['a\0b', /NUL/],
    ['x'.repeat(300), /too long/],
  ])('refuses %j, and says why and what would work', async (path, message) => {
    const { root } = await besetFolder()
    await expect(new Workspace({ root }).locate(path, 'write')).rejects.toThrow(message)
  })

  it('names the folders that may be read, and that they are only read', async () => {
    const { root, readable } = await besetFolder()
    const workspace = new Workspace({ root, readable: [readable] })
    expect(await workspace.locate(join(readable, 'file.txt'), 'read')).toMatchObject({
      shown: join(readable, 'file.txt'),
    })
    await expect(workspace.locate(join(readable, 'file.txt'), 'write')).rejects.toThrow('may be read, not written')
    await expect(workspace.locate('/etc/passwd', 'read')).rejects.toThrow(readable)
  })

  it('works in a workspace that is itself reached by a link', async () => {
    const { base, root } = await besetFolder()
    await symlink(root, join(base, 'linked'))
    const workspace = new Workspace({ root: join(base, 'linked') })
    expect(await workspace.locate('src/file.txt', 'read')).toEqual({
      real: join(root, 'src/file.txt'),
      shown: 'src/file.txt',
    })
    expect(await workspace.locate(join(base, 'linked/src'), 'read')).toMatchObject({ shown: 'src' })
    expect(await workspace.locate(join(root, 'src'), 'read')).toMatchObject({ shown: 'src' })
  })

  it('notices a folder that is exchanged for a link after the path was looked at', async () => {
    const { base, root } = await besetFolder()
    const workspace = new Workspace({ root })
    const old = await workspace.locate('src/file.txt', 'read')
    const fresh = await workspace.locate('src/new.txt', 'write')
    await rename(join(root, 'src'), join(root, 'moved'))
    await symlink(join(base, 'secret'), join(root, 'src'))
    await expect(readBytes(old)).rejects.toThrow('changed its place')
    await expect(writeBytes(fresh, Buffer.from('x'))).rejects.toThrow('changed its place')
    expect(await readdir(join(base, 'secret'))).toEqual(['file.txt'])
  })
})
