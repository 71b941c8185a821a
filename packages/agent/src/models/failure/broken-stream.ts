/** A stream that did not come to the end of its answer: the same call is worth another try. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream'

  constructor(how: 'cut-off' | 'silent') {
    super(MESSAGES[how])
  }
}

const MESSAGES = {
  'cut-off': 'The stream ended before the answer was complete.',
  silent: 'Nothing came for ten minutes.',
} as const
