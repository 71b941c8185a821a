import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainCommand } from './plain-command.ts'

describe('a plain command', () => {
  it.each([
    ['git status', ['git', 'status']],
    [`git commit -m 'a; b' "c d"e`, ['git', 'commit', '-m', 'a; b', 'c de']],
    ["echo ''", ['echo', '']],
    ['ls src/*.ts', ['ls', 'src/*.ts']],
    ['ls *.ts', undefined],
    ['A=b ls', undefined],
    ['echo "$HOME"', undefined],
    ["echo 'open", undefined],
    ['', undefined],
  ])('%j has the words %j', (command, words) => {
    expect(plainCommand(command)).toEqual(words)
  })

  it('has the words that bash gives to the program', () => {
    const unit = fc.constantFrom(...' \t\'"\\$`;|&<>(){}!#^~=-.a/bé')
    const text = fc.array(unit, { maxLength: 14 }).map((units) => `printf ${units.join('')}`)
    let plain = 0
    fc.assert(
      fc.property(text, (command) => {
        const words = plainCommand(command)
        if (words === undefined) return
        plain += 1
        const [, ...rest] = words
        expect(wordsOfBash(command.slice('printf'.length))).toEqual(rest)
      }),
      { numRuns: 400 },
    )
    expect(plain).toBeGreaterThan(0)
  })
})

/** What bash makes of the arguments, in an empty folder. */
function wordsOfBash(args: string): readonly string[] {
  const printed = execFileSync('bash', ['-c', `for word in ${args}\ndo printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return printed.split('\0').slice(0, -1)
}
