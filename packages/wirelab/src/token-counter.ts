import { estimateText, modelFamily } from 'palimpsest'
import type { PromptBlock } from './format.ts'
import type { SizedBlock } from './prefix-cache.ts'

/** Counts the tokens of a text for a model. */
export type TokenCounter = (text: string, model: string) => number

/**
 * How the simulator counts: `class-run`, the estimate by character classes for the model's family; `exact`, the vocabulary of
 * OpenAI's current models (o200k) from the package `gpt-tokenizer`, whatever the model; or a function of the caller's.
 */
export type CounterOption = 'class-run' | 'exact' | ((text: string) => number)

/** The counter of that name, its vocabulary loaded. */
export async function tokenCounter(option: CounterOption): Promise<TokenCounter> {
  if (typeof option === 'function') return option
  if (option === 'class-run') return (text, model) => estimateText(text, { family: modelFamily(model) })
  const { loadExactCounter } = await import('palimpsest/exact-tokens')
  return loadExactCounter('o200k')
}

/** The prompt's blocks with their sizes: what a block says about itself beats the count of its text. */
export function sizePrompt(
  prompt: readonly PromptBlock[],
  by: { readonly count: TokenCounter; readonly model: string },
): readonly SizedBlock[] {
  return prompt.map((block) => ({ block, tokens: block.tokens ?? by.count(block.text, by.model) }))
}

/** Tokens of a whole prompt, rounded up. */
export function promptTokens(blocks: readonly SizedBlock[]): number {
  return Math.ceil(blocks.reduce((sum, { tokens }) => sum + tokens, 0))
}
