import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
// @ts-expect-error a script without types
import { bundle, entries, nodeImports } from './bundle-size.mjs'

describe('the engine and the wire formats run in a browser', () => {
  test.each(entries() as readonly { name: string; files: readonly string[] }[])('$name', async ({ name, files }) => {
    const { code, imports } = await bundle(files)
    expect(nodeImports(imports)).toEqual([])
    expect(code).not.toMatch(/["'`]node:/)
    expect(code.length).toBeGreaterThan(1000)
    if (name === 'engine') expect(gzipSync(code, { level: 9 }).length).toBeLessThan(40_000)
  })

  test('an import that no browser has is seen, through any number of files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bundle-size-'))
    try {
      writeFileSync(join(folder, 'a.ts'), "export { b } from './b.ts'")
      writeFileSync(
        join(folder, 'b.ts'),
        "import { sep } from 'path'\nexport const b = () => import('node:fs').then(() => sep)",
      )
      const { imports } = await bundle([join(folder, 'a.ts')])
      expect(nodeImports(imports).sort()).toEqual(['node:fs', 'path'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
