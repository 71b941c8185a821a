import { PalimpsestError } from '../engine/errors.ts'
import { countInPieces } from '../engine/tokens/run-length-guard.ts'

/** The vocabularies that `gpt-tokenizer` has: GPT-4o and later, and GPT-4 with GPT-3.5. */
export type ExactFamily = 'o200k' | 'cl100k'

/**
 * An exact token counter for OpenAI models, from the optional package `gpt-tokenizer`. It counts text as text: special
 * tokens such as `<|endoftext|>` have no meaning. 5 to 100 times slower than the estimate, and 2 to 3 MB of vocabulary.
 *
 * @throws PalimpsestError `effect-failed` when the package is not installed; `RangeError` for another family.
 * @example
 * const count = await loadExactCounter('o200k')
 * count('hello world') // 2
 */
export async function loadExactCounter(family: ExactFamily): Promise<(text: string) => number> {
  const load = Object.hasOwn(VOCABULARIES, family) ? VOCABULARIES[family] : undefined
  if (load === undefined) throw new RangeError(`no exact counter for ${String(family)}; there is o200k and cl100k`)
  const { countTokens } = await load().catch(notInstalled)
  // Without this a literal special token in the text is an error.
  const options = { disallowedSpecial: new Set<string>() }
  return (text) => countInPieces(text, (piece) => countTokens(piece, options))
}

type CountTokens = (text: string, options: { disallowedSpecial: Set<string> }) => number

const VOCABULARIES: Readonly<Record<ExactFamily, () => Promise<{ readonly countTokens: CountTokens }>>> = {
  o200k: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k: () => import('gpt-tokenizer/encoding/cl100k_base'),
}

function notInstalled(cause: unknown): never {
  throw new PalimpsestError(
    'effect-failed',
    'Exact token counts need the package gpt-tokenizer, which cannot be loaded.',
    {
      hint: 'Install it beside palimpsest (npm install gpt-tokenizer), or use estimateText, which needs nothing.',
      cause,
    },
  )
}
