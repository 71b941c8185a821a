import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NameKind, occursIn, visitNames } from './names-in-text.ts'

function names(text: string, kind: NameKind, loose = false): string[] {
  const found = new Set<string>()
  visitNames(text, (of, name) => of === kind && found.add(name), loose)
  return [...found]
}

describe('names in text', () => {
  it('finds paths with their line numbers taken off, and bare names only with a known extension', () => {
    const text = 'see src/config/mise_toml.rs:42:7, ./run.sh and package.json; not foo.bar or and/or'
    expect(names(text, 'path')).toEqual(['src/config/mise_toml.rs', './run.sh', 'package.json'])
    expect(names('ls src/config docs', 'path', true)).toEqual(['src/config'])
    expect(names('git log > /dev/null', 'path', true)).toEqual([])
    expect(names('    12→import { a } from "../a/b.ts"', 'path')).toEqual(['../a/b.ts'])
  })

  it('finds camelCase, CamelCase, snake_case and dotted identifiers of five characters and more', () => {
    const text = 'const fooBar = HTTPServer.listen(max_size, MAX_SIZE, plain, aB, self.config_files)'
    expect(names(text, 'ident')).toEqual([
      'fooBar',
      'HTTPServer.listen',
      'HTTPServer',
      'max_size',
      'MAX_SIZE',
      'config_files',
    ])
    expect(names('Words of prose, even Capitalised ones.', 'ident')).toEqual([])
  })

  it('finds URLs, UUIDs, hashes, numbers of issues, tickets, ports and long numbers', () => {
    const text = `https://x.test/a?b=1 6f1e2d3c-0000-4000-8000-0123456789ab abc1234 #135 KEY-17 localhost:3000 :8443
      --port 9443 20260715 defaced 12345`
    expect(names(text, 'id')).toEqual([
      'https://x.test/a',
      '6f1e2d3c-0000-4000-8000-0123456789ab',
      'abc1234',
      '#135',
      'KEY-17',
      '3000',
      '8443',
      '9443',
      '20260715',
    ])
  })

  it('takes a line number for no port, and base64 for no name', () => {
    expect(names('main.go:120 handler:45', 'id')).toEqual([])
    const blob = 'QUJD/RGVm'.repeat(2_000)
    expect([...names(blob, 'path'), ...names(blob, 'ident'), ...names(blob, 'id')]).toEqual([])
  })

  it('gives back only what stands in the text, as a word of its own', () => {
    const piece = fc.constantFrom(
      'fooBar',
      'a_b',
      '/',
      '.',
      ':',
      ' ',
      'x.ts',
      '#12',
      '\n',
      'Ä',
      '🧑‍🚀',
      '\ud83d',
      '12345678',
      '-',
      'http://a',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, loose) => {
        const text = pieces.join('')
        visitNames(text, (_, name) => expect(text).toContain(name), loose)
      }),
      { numRuns: 1_000 },
    )
  })

  it('knows a name from a part of another', () => {
    expect(occursIn('use fooBarBaz', 'fooBar')).toBe(false)
    expect(occursIn('use fooBarBaz, fooBar', 'fooBar')).toBe(true)
    expect(occursIn('src/a.ts:12', 'src/a.ts')).toBe(true)
    expect(occursIn('anything', '')).toBe(false)
  })
})
