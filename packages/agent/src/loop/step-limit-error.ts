import { PalimpsestError } from 'palimpsest'

/** A turn took as many steps as it may, and was not done. What it did is stored. */
export class StepLimitError extends PalimpsestError {
  override readonly name = 'StepLimitError'

  constructor(steps: number) {
    super('effect-failed', `The turn was not done after ${steps} steps.`, {
      hint: 'Ask to go on, or allow more with --max-steps.',
    })
  }
}
