import { PalimpsestError } from 'palimpsest'

/**
 * A turn took as many steps as it may, and was not done. What it did is stored.
 *
 * @example
 * const { error } = await agent.send('Migrate the tests.')
 * if (error instanceof StepLimitError) await agent.send('Go on.')
 */
export class StepLimitError extends PalimpsestError {
  override readonly name = 'StepLimitError'

  constructor(steps: number) {
    super('effect-failed', `The turn was not done after ${steps === 1 ? '1 step' : `${steps} steps`}.`, {
      hint: 'Ask to go on, or allow more with --max-steps.',
    })
  }
}
