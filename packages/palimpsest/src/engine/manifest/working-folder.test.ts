import { describe, expect, it } from 'vitest'
import { readToolCall } from './tool-call.ts'
import { workingFolder } from './working-folder.ts'

const reads = (...paths: readonly string[]) => paths.map((path) => readToolCall('Read', JSON.stringify({ path })))

describe('the folder that paths are relative to', () => {
  it('is where the agent’s own relative paths start', () => {
    expect(workingFolder(reads('/r/app/src/a.ts', '/r/app/src/b.ts', 'src/a.ts'))).toBe('/r/app')
  })

  it('is the deepest that most paths lie in, where no path is relative', () => {
    expect(workingFolder(reads('/r/src/a.ts', '/r/src/b.ts', '/r/docs/c.md', '/tmp/x', '/tmp/y', '/tmp/z'))).toBe(
      '/r/src',
    )
  })

  it('counts folders that calls say they work in', () => {
    const run = readToolCall('shell', JSON.stringify({ command: 'ls', workdir: '/w/project' }))
    expect(workingFolder([run, run, run, ...reads('/w/project/src/a.ts')])).toBe('/w/project')
  })

  it('is none where there are no absolute paths', () => {
    expect(workingFolder(reads('a.ts', 'b/c.ts'))).toBe('')
  })
})
