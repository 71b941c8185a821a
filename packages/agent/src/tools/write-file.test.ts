import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryStores, virtualFiles } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { type PermissionRequest, Permissions } from './permissions.ts'
import { runTool } from './run-tool.ts'
import { ownFolder, SCOPE, toolsInFolder } from './workspace.test-data.ts'
import { workspaceTools } from './workspace-tools.ts'

describe('write_file', () => {
  it('makes the folders that it needs, leaves no drafts, and what it wrote may be written again', async () => {
    const { root, call } = await toolsInFolder()
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' })).toEqual({
      text: 'a/b/c.txt was created: 2 lines.',
      brief: 'created, +2',
    })
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'one\nthree\n' })).toEqual({
      text: 'a/b/c.txt was changed:\n@@ -1,2 +1,2 @@\n one\n-two\n+three',
      brief: '+1 −1',
    })
    expect((await call('write_file', { path: 'a/b/c.txt', content: 'one\nthree\n' })).brief).toBe('unchanged')
    expect(await readdir(join(root, 'a/b'))).toEqual(['c.txt'])
    expect(await readFile(join(root, 'a/b/c.txt'), 'utf8')).toBe('one\nthree\n')
  })

  it.each(['write_file', 'edit_file'])('%s leaves alone what was not read, or has changed since', async (name) => {
    const { root, call } = await toolsInFolder()
    const change = { path: 'a.txt', ...(name === 'write_file' ? { content: 'new' } : { old_text: 'o', new_text: 'n' }) }
    await writeFile(join(root, 'a.txt'), 'old')
    expect(await call(name, change)).toMatchObject({ failed: true, text: expect.stringContaining('was not read') })
    await call('read_file', { path: 'a.txt' })
    await writeFile(join(root, 'a.txt'), 'only')
    expect(await call(name, change)).toMatchObject({ failed: true, text: expect.stringContaining('has changed since') })
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('only')
    await call('read_file', { path: 'a.txt' })
    expect(await call(name, change)).not.toMatchObject({ failed: true })
  })

  it('keeps mode, encoding, line ends, and a link as a link', async () => {
    const { root, call } = await toolsInFolder()
    await writeFile(join(root, 'run.sh'), Buffer.from('\uFEFFold\r\nend\r\n', 'utf16le'))
    await chmod(join(root, 'run.sh'), 0o750)
    await symlink('run.sh', join(root, 'link.sh'))
    await call('read_file', { path: 'link.sh' })
    await call('write_file', { path: 'link.sh', content: 'new\nend\n' })
    expect((await readFile(join(root, 'run.sh'))).equals(Buffer.from('\uFEFFnew\r\nend\r\n', 'utf16le'))).toBe(true)
    expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750)
    expect(await readdir(root)).toEqual(['link.sh', 'run.sh'])
  })

  it.each([
    ['a folder', { path: 'src', content: '' }, 'src is a folder'],
    ['a stored original', { path: 'artifact://abc', content: '' }, 'only read'],
    ['half a pair', { path: 'x', content: 'a\ud83d' }, 'surrogate'],
  ])('refuses %s', async (_, asked, message) => {
    const { root, call } = await toolsInFolder()
    await mkdir(join(root, 'src'))
    expect(await call('write_file', asked)).toMatchObject({ failed: true, text: expect.stringContaining(message) })
  })

  it('asks with the change as a unified diff, and not where nothing can or need be done', async () => {
    const root = await ownFolder()
    await writeFile(join(root, 'a.txt'), 'one\ntwo\n')
    const asked: PermissionRequest[] = []
    const permissions = new Permissions({
      root,
      allow: [],
      ask: async (request) => {
        asked.push(request)
        return 'once'
      },
    })
    const tools = workspaceTools({ root, history: virtualFiles(memoryStores(), SCOPE), env: {} })
    const run = async (name: string, input: unknown) => {
      const tool = tools.find((one) => one.name === name)
      if (tool === undefined) throw new RangeError(name)
      return runTool(tool, input, { id: 'c', signal: new AbortController().signal }, permissions)
    }
    await run('write_file', { path: 'a.txt', content: 'x' })
    await run('write_file', { path: '../a.txt', content: 'x' })
    await run('read_file', { path: 'a.txt' })
    await run('edit_file', { path: 'a.txt', old_text: 'four', new_text: 'five' })
    await run('write_file', { path: 'a.txt', content: 'one\ntwo\n' })
    expect(asked).toEqual([])
    await run('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' })
    await run('write_file', { path: './new/b.txt', content: 'b\n' })
    expect(asked).toEqual([
      {
        tool: 'edit_file',
        kind: 'write',
        target: 'a.txt',
        preview: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
      },
      {
        tool: 'write_file',
        kind: 'write',
        target: 'new/b.txt',
        preview: '--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1,1 @@\n+b\n',
      },
    ])
  })
})

describe('edit_file', () => {
  it('makes several edits at once, or none', async () => {
    const { root, call } = await toolsInFolder()
    await call('write_file', { path: 'a.txt', content: 'a\nb\nc\n' })
    const edits = [
      { old_text: 'a', new_text: 'A' },
      { old_text: 'c', new_text: 'C', replace_all: true },
    ]
    expect((await call('edit_file', { path: 'a.txt', edits })).brief).toBe('+2 −2')
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('A\nb\nC\n')
    expect(await call('edit_file', { path: 'a.txt', edits })).toMatchObject({
      failed: true,
      text: expect.stringContaining('Edit 1 of 2'),
    })
  })

  it.each([
    [{ old_text: 'a' }, 'Give old_text and new_text'],
    [{ old_text: 'a', new_text: 'a' }, 'are the same'],
    [{ old_text: 'a', new_text: 'b', edits: [{ old_text: 'a', new_text: 'b' }] }, 'not both'],
    [{ old_text: 'zz', new_text: 'b' }, 'is not in the file'],
    [{ old_text: 'a', new_text: 'b', path: 'none.txt' }, 'There is no file none.txt. To make one use write_file.'],
  ])('refuses %j', async (asked, message) => {
    const { call } = await toolsInFolder()
    await call('write_file', { path: 'a.txt', content: 'a\n' })
    expect((await call('edit_file', { path: 'a.txt', ...asked })).text).toContain(message)
  })

  it('writes no character that the encoding of the file does not have', async () => {
    const { root, call } = await toolsInFolder()
    await writeFile(join(root, 'a.txt'), Buffer.from('caf\u00e9 a', 'latin1'))
    await call('read_file', { path: 'a.txt' })
    expect((await call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'b' })).text).toContain('occurs 2 times')
    expect((await call('edit_file', { path: 'a.txt', old_text: ' a', new_text: ' →' })).text).toContain(
      '"→" cannot be written',
    )
    await call('edit_file', { path: 'a.txt', old_text: ' a', new_text: ' \u00fc' })
    expect((await readFile(join(root, 'a.txt'))).equals(Buffer.from('caf\u00e9 \u00fc', 'latin1'))).toBe(true)
  })

  it('of two calls at once loses neither', async () => {
    const { root, call } = await toolsInFolder()
    await call('write_file', { path: 'a.txt', content: 'a b\n' })
    await Promise.all([
      call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'A' }),
      call('edit_file', { path: 'a.txt', old_text: 'b', new_text: 'B' }),
    ])
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('A B\n')
  })
})
