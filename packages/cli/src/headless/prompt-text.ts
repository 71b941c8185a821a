import { usageError } from '../error-report.ts'
import type { Terminal } from '../terminal.ts'

/** After so many milliseconds it is said what is waited for: a pipe that nobody closes looks like a program that hangs. */
const PATIENCE = 1_500

/**
 * What the agent is asked: the words of the command line, and standard input where it is no keyboard. Both: the words, then the
 * input as a block. `-` for the words: the input alone.
 * @throws PalimpsestError `invalid-input` where nothing is asked, or the input is no text.
 */
export async function promptText(words: readonly string[], terminal: Terminal): Promise<string> {
  const said = words.join(' ').trim()
  const isInputMeant = said === '-'
  const input = isInputMeant || !terminal.keyboard ? await inputText(terminal) : ''
  if (said === '' || isInputMeant) return input === '' ? nothingAsked(terminal) : input
  return input === '' ? said : `${said}\n\n<stdin>\n${input}\n</stdin>`
}

async function inputText(terminal: Terminal): Promise<string> {
  const waiting = setTimeout(
    () => terminal.say('Reading standard input until it ends; `< /dev/null` gives none.'),
    PATIENCE,
  )
  try {
    const bytes = await terminal.input()
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trimEnd()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(
      'Standard input is no text in UTF-8.',
      'Name the file in the prompt instead: the agent can read it.',
    )
  } finally {
    clearTimeout(waiting)
  }
}

function nothingAsked(terminal: Terminal): never {
  throw usageError(
    terminal.keyboard ? 'Nothing is asked.' : 'Nothing is asked: there are no words, and standard input is empty.',
    'palimpsest run "what the agent is to do", or the same on standard input.',
  )
}
