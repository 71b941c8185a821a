import { describe, expect, it } from 'vitest'
import { recordingTerminal } from '../recording-terminal.test-data.ts'
import { promptText } from './prompt-text.ts'

const typed = recordingTerminal({ keyboard: true })
const piped = (input: string) => recordingTerminal({ input })

describe('what is asked', () => {
  it.each([
    ['the words of the command line', ['why', 'does it fail?'], typed, 'why does it fail?'],
    ['standard input, without the end of its last line', [], piped('why?\n'), 'why?'],
    ['standard input for -', ['-'], piped('why?\n'), 'why?'],
    ['both: the words, then the input as a block', ['why?'], piped('a\nb\n'), 'why?\n\n<stdin>\na\nb\n</stdin>'],
    ['the words alone where the input is empty', ['why?'], piped(' \n'), 'why?'],
  ])('is %s', async (_, words, terminal, expected) => {
    expect(await promptText(words, terminal)).toBe(expected)
  })

  it.each([
    ['no words at a keyboard', [], typed],
    ['no words and no input', [], piped('\n')],
    ['empty words', [' '], piped('')],
    ['- without input', ['-'], piped('')],
  ])('is not nothing: %s', async (_, words, terminal) => {
    await expect(promptText(words, terminal)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(/^Nothing is asked/),
    })
  })

  it('is text', async () => {
    const binary = { ...piped(''), input: async () => new Uint8Array([0x41, 0xff, 0xfe]) }
    await expect(promptText(['look'], binary)).rejects.toMatchObject({
      message: 'Standard input is no text in UTF-8.',
    })
  })
})
