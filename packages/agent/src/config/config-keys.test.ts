import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONFIG_KEY_NAMES, CONFIG_KEYS, flagOf } from './config-keys.ts'

describe('docs/configuration.md', () => {
  const text = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| `/.test(line))

  it('says all of every key, in this order', () => {
    expect(rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1])).toEqual(CONFIG_KEY_NAMES)
    for (const [at, key] of CONFIG_KEY_NAMES.entries()) {
      const [, , variable = '', flag = ''] = (rows[at] ?? '').split('|').map((cell) => cell.trim().replaceAll('`', ''))
      expect([key, variable]).toEqual([key, CONFIG_KEYS[key].variable ?? ''])
      expect([flagOf(key), '']).toContain(flag)
      const { fallback } = CONFIG_KEYS[key]
      if (fallback !== undefined) expect(rows[at]).toMatch(new RegExp(`\\| \`?${String(fallback)}\`? \\|$`))
    }
  })
})
