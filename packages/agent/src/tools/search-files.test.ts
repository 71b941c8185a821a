import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryStores, virtualFiles } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { searchFilesTool } from './search-files.ts'
import { KnownFiles } from './workspace/files.ts'
import { Workspace } from './workspace/workspace.ts'
import { callerOf, ownFolder, SCOPE } from './workspace.test-data.ts'

/** A search that may take a second, over a line that a bad pattern never gets through. */
async function searching() {
  const root = await ownFolder()
  await writeFile(join(root, 'a'.repeat(60)), `${'a'.repeat(60)}!\n`)
  const files = {
    workspace: new Workspace({ root }),
    known: new KnownFiles(),
    history: virtualFiles(memoryStores(), SCOPE),
  }
  return callerOf([searchFilesTool(files, 1)])
}

describe('a pattern that takes forever', () => {
  it.each([
    ['of lines', { pattern: '(a+)+$' }],
    ['of paths', { pattern: 'a', glob: `${'*a'.repeat(30)}b` }],
  ])('%s is stopped, while everything else goes on', async (_, asked) => {
    const call = await searching()
    let ticks = 0
    const ticking = setInterval(() => {
      ticks += 1
    }, 20)
    const output = await call('search_files', asked)
    clearInterval(ticking)
    expect(output).toMatchObject({
      failed: true,
      text: expect.stringContaining('longer than 1 seconds and was stopped'),
    })
    expect(ticks).toBeGreaterThan(3)
  })

  it('ends at once when the call is aborted', async () => {
    const call = await searching()
    const aborting = new AbortController()
    const running = call('search_files', { pattern: '(a+)+$' }, aborting.signal)
    setTimeout(() => aborting.abort(new Error('enough')), 50)
    await expect(running).rejects.toThrow('enough')
  })
})
