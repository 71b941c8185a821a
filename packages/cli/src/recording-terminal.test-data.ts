import type { Terminal } from './terminal.ts'

/** A terminal that remembers what was written to it. */
export interface RecordingTerminal extends Terminal {
  readonly written: string
  readonly said: readonly string[]
}

/** A terminal of 80 columns without colours, with `input` as its standard input. */
export function recordingTerminal(
  options: {
    readonly input?: string
    readonly keyboard?: boolean
    readonly screen?: boolean
    readonly answer?: string
  } = {},
): RecordingTerminal {
  const said: string[] = []
  let written = ''
  return {
    data: (content) => {
      written += typeof content === 'string' ? content : new TextDecoder().decode(content)
    },
    say: (line) => said.push(line),
    status: () => {},
    columns: 80,
    color: false,
    watched: false,
    screen: options.screen ?? false,
    keyboard: options.keyboard ?? false,
    input: async () => new TextEncoder().encode(options.input ?? ''),
    ask: async (question) => {
      said.push(question)
      return options.answer ?? ''
    },
    get written() {
      return written
    },
    said,
  }
}
