import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTypedLine, SLASH_COMMANDS } from './slash-commands.ts'

describe('what is typed', () => {
  it.each([
    ['hello', 'prompt'],
    ['/etc/hosts is wrong', 'prompt'],
    ['/', 'prompt'],
    ['/ compact', 'prompt'],
    ['a /compact', 'prompt'],
    ['/compact', 'command'],
    ['  /COMPACT  ', 'command'],
    ['/compact the tests\nand more', 'command'],
    ['/nothing', 'unknown'],
  ])('%j is a %s', (text, kind) => {
    expect(readTypedLine(text).kind).toBe(kind)
  })

  it('carries the argument as it stands', () => {
    expect(readTypedLine('/compact  the  tests\nand more ')).toMatchObject({ argument: 'the  tests\nand more' })
  })

  it.each([
    ['/compcat', 'compact'],
    ['/contxt', 'context'],
    ['/resmue', 'resume'],
    ['/quit', 'exit'],
    ['/banana', undefined],
    ['/he', 'help'],
  ])('%s: meant was %s', (text, name) => {
    const line = readTypedLine(text)
    expect(line.kind === 'unknown' ? line.similar[0] : line).toBe(name)
  })

  it('knows each command whatever stands behind it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SLASH_COMMANDS), fc.string(), (command, argument) => {
        expect(readTypedLine(`/${command.name} ${argument}`)).toEqual({
          kind: 'command',
          command,
          argument: argument.trim(),
        })
      }),
    )
  })
})
