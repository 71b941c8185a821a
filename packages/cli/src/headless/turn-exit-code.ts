import { ProviderFailure, type TurnResult } from '@palimpsest/agent'
import { type ExitCode, exitCode } from '../exit-code.ts'

/** What a run ends with whose only turn ended so. */
export function turnExitCode({ outcome, error }: Pick<TurnResult, 'outcome' | 'error'>): ExitCode {
  if (outcome === 'answered') return exitCode.fine
  if (outcome === 'cancelled') return exitCode.interrupted
  if (error instanceof ProviderFailure) return exitCode.provider
  switch (error?.code) {
    case 'context-overflow':
    case 'cannot-fit':
    case 'no-progress':
      return exitCode.cannotFit
    default:
      return exitCode.wrong
  }
}
