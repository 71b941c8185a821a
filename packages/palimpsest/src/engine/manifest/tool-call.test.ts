import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { referencesOfCall } from './references.ts'
import { readToolCall } from './tool-call.ts'

const read = (tool: string, args: unknown) => readToolCall(tool, typeof args === 'string' ? args : JSON.stringify(args))

describe('a tool call, read without knowing the client', () => {
  it('knows the tools of Claude Code', () => {
    expect(read('Read', { file_path: '/r/a.ts', limit: 5 })).toMatchObject({
      action: 'read',
      paths: ['/r/a.ts'],
      reads: ['/r/a.ts'],
    })
    expect(read('Write', { file_path: '/r/a.ts', content: 'x' })).toMatchObject({
      action: 'change',
      edits: [{ path: '/r/a.ts', after: 'x' }],
    })
    expect(
      read('MultiEdit', {
        file_path: '/r/a.ts',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'c', new_string: 'd' },
        ],
      }).edits,
    ).toEqual([
      { path: '/r/a.ts', before: 'a', after: 'b' },
      { path: '/r/a.ts', before: 'c', after: 'd' },
    ])
    expect(read('Grep', { pattern: 'fooBar', path: 'src' })).toMatchObject({
      action: 'search',
      pattern: 'fooBar',
      paths: ['src'],
    })
    expect(read('Bash', { command: 'npm test', description: 'Run' })).toMatchObject({
      action: 'run',
      command: 'npm test',
    })
    expect(read('LS', { path: '/r' }).action).toBe('search')
  })

  it('knows the tools of Codex and pi', () => {
    expect(read('shell', { command: ['bash', '-lc', 'cat src/a.rs'], workdir: '/w' })).toMatchObject({
      command: 'cat src/a.rs',
      reads: ['src/a.rs'],
      folder: '/w',
    })
    expect(read('exec_command', { cmd: "sed -n '1,40p' src/a.rs && git status" }).reads).toEqual(['src/a.rs'])
    expect(read('edit', { path: 'a.ts', oldText: 'x', newText: 'y' }).edits).toEqual([
      { path: 'a.ts', before: 'x', after: 'y' },
    ])
    expect(
      read('exec', 'const r = await tools.exec_command({cmd:"rg -n \\"a b\\" src/x.rs", "workdir":"/w"})').command,
    ).toBe('rg -n "a b" src/x.rs')
  })

  it('reads a patch as edits, alone, in arguments, and inside a script', () => {
    const patch =
      '*** Begin Patch\n*** Update File: src/a.ts\n@@ fn\n keep\n-old line\n+new line\n*** Delete File: b.ts\n*** End Patch'
    const edit = { path: 'src/a.ts', before: 'keep\nold line', after: 'keep\nnew line' }
    for (const args of [
      patch,
      { input: patch },
      { command: ['apply_patch', patch] },
      `await tools.apply_patch(${JSON.stringify(patch)})`,
    ]) {
      const found = read('apply_patch', args)
      expect(found.action).toBe('change')
      expect(found.edits).toEqual([edit])
      expect(found.paths).toEqual(['src/a.ts', 'b.ts'])
    }
  })

  it('takes the verb of an editor tool for no command', () => {
    expect(read('str_replace_based_edit_tool', { command: 'view', path: 'a.ts' })).toMatchObject({
      action: 'read',
      paths: ['a.ts'],
    })
    expect(read('str_replace_based_edit_tool', { command: 'create', path: 'a.ts', file_text: 'x' })).toMatchObject({
      action: 'change',
    })
  })

  it('sees files that a command writes, and no files inside a here-document', () => {
    const found = read('Bash', { command: "cat > src/new.ts <<'EOF'\nimport '../other/file.ts'\nEOF\nls /r/lib" })
    expect(found.edits.map((edit) => edit.path)).toEqual(['src/new.ts'])
    expect(found.paths).toEqual(['src/new.ts', '/r/lib'])
  })

  it('names what a call refers to, once each, with the folder taken off', () => {
    const edit = read('Edit', { file_path: '/w/src/a.ts', old_string: '  return loadConfig(path)\n}', new_string: 'x' })
    expect(referencesOfCall(edit, '/w')).toEqual([
      { kind: 'path', text: 'src/a.ts' },
      { kind: 'exact', text: 'return loadConfig(path)' },
      { kind: 'ident', text: 'loadConfig' },
    ])
    const run = read('Bash', { command: 'gh pr view 42 && git show abc1234 -- "docs/some long name.md"' })
    expect(referencesOfCall(run).map((reference) => reference.text)).toEqual(
      expect.arrayContaining(['abc1234', 'docs/some long name.md']),
    )
  })

  it('never throws', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom('{"command":', '"x"', 'null', '[[["a"]]]', '*** Begin Patch', "cat <<'E'"),
    )
    fc.assert(
      fc.property(fc.string(), text, (tool, args) => {
        expect(referencesOfCall(readToolCall(tool, args), '/w')).toBeInstanceOf(Array)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a script that calls tools', () => {
  it('is read for its commands and folder, not as shell', () => {
    const found = read('exec', 'const all = await tools.read({id:1}); all.forEach(x=>{text(x.name)}); // > out')
    expect(found.command).toBeUndefined()
    expect(found.edits).toEqual([])
    expect(read('exec', 'await tools.exec_command({cmd:"ls src/a", workdir:"/w"})')).toMatchObject({
      command: 'ls src/a',
      folder: '/w',
    })
  })
})
