import { claudeVersion, isClaude } from './model-family.ts'

/** Dollars per million tokens. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** What the table knows about a model line. */
export interface ModelLine {
  /** Tokens that the model takes at once; where the provider limits the input by itself, that limit. */
  readonly window: number
  readonly maxOutput: number
  /** Does its provider cache prompts? */
  readonly caching: boolean
  /** Must user and assistant alternate strictly in its chat template? */
  readonly strictAlternation?: boolean
  readonly prices?: ModelPrices
}

/**
 * The line that a model name (lower case) belongs to. Where a line is sold with several windows the table has the smallest
 * that is common, so that a request fits before anything is known about the account; a suffix `[1m]`, as Claude Code writes
 * it, stands for the large one. Figures of the providers' model pages, November 2026.
 */
export function modelLine(name: string): ModelLine | undefined {
  const line = isClaude(name) ? claudeLine(name) : lineOf(LINES.find(([pattern]) => pattern.test(name)))
  return line !== undefined && /\[1m\]$/.test(name) ? { ...line, window: 1_000_000 } : line
}

function claudeLine(name: string): ModelLine {
  // Without a version: one of the older ones might be meant, whose window is the smaller.
  const version = claudeVersion(name) ?? (name.includes('instant') ? 1 : 4.5)
  const prices = claudePrices(name, version)
  if (version < 3) return { window: version < 2.05 ? 100_000 : 200_000, maxOutput: 4_096, caching: false }
  if (version < 3.45) return { window: 200_000, maxOutput: 4_096, caching: true, prices }
  if (version < 3.65) return { window: 200_000, maxOutput: 8_192, caching: true, prices }
  if (version < 4.15 && name.includes('opus')) return { window: 200_000, maxOutput: 32_000, caching: true, prices }
  if (version < 4.55) return { window: 200_000, maxOutput: 64_000, caching: true, prices }
  return { window: 1_000_000, maxOutput: 128_000, caching: true, prices }
}

function claudePrices(name: string, version: number): ModelPrices {
  if (name.includes('fable')) return prices(10, 50)
  if (name.includes('opus'))
    return version < 4.45 ? prices(15, 75) : version < 5.45 ? prices(5, 25) : prices(4, 20, 0.2)
  if (!name.includes('haiku')) return version < 4.9 ? prices(3, 15) : prices(2, 10)
  if (version < 3.45) return prices(0.25, 1.25, 0.03, 0.3)
  if (version < 3.9) return prices(0.8, 4)
  // Haiku 5.5 costs a fifth of this up to 100,000 tokens; prompts that are worth compacting are longer.
  return version < 5 ? prices(1, 5) : prices(0.5, 2.5)
}

/** Anthropic reads its cache at a tenth of the price and writes it at five quarters, where no other figure is given. */
function prices(input: number, output: number, cacheRead = input / 10, cacheWrite = input * 1.25): ModelPrices {
  return { input, output, cacheRead, cacheWrite }
}

type Row = readonly [
  pattern: RegExp,
  window: number,
  maxOutput: number,
  features: '' | 'cache' | 'alternates',
  /** Dollars per million tokens: input, output, cached input. */
  prices?: readonly [number, number, number],
]

function lineOf(row: Row | undefined): ModelLine | undefined {
  if (row === undefined) return undefined
  const [, window, maxOutput, features, dollars] = row
  const line = { window, maxOutput, caching: features === 'cache', strictAlternation: features === 'alternates' }
  if (dollars === undefined) return line
  return { ...line, prices: { input: dollars[0], output: dollars[1], cacheRead: dollars[2] } }
}

/** First match wins. */
const LINES: readonly Row[] = [
  // OpenAI. Of GPT-5's 400,000 the input may take 272,000, which is also what Codex gives the later ones.
  [/gpt-?oss/, 131_072, 131_072, ''],
  [/codex-spark/, 128_000, 32_000, 'cache'],
  [/gpt-?5[^/]*-chat/, 128_000, 16_384, 'cache', [1.25, 10, 0.125]],
  [/gpt-?5[^/]*nano/, 272_000, 128_000, 'cache', [0.05, 0.4, 0.005]],
  [/gpt-?5[^/]*mini/, 272_000, 128_000, 'cache', [0.25, 2, 0.025]],
  [/gpt-?5[.-][6-9]|gpt-?[6-9]/, 372_000, 128_000, 'cache'],
  [/gpt-?5[.-]5/, 272_000, 128_000, 'cache', [5, 30, 0.5]],
  [/gpt-?5[.-]4/, 272_000, 128_000, 'cache', [2.5, 15, 0.25]],
  [/gpt-?5[.-][23]/, 272_000, 128_000, 'cache', [1.75, 14, 0.175]],
  [/gpt-?5/, 272_000, 128_000, 'cache', [1.25, 10, 0.125]],
  [/gpt-?4[.-]1(?!\d)[^/]*nano/, 1_047_576, 32_768, 'cache', [0.1, 0.4, 0.025]],
  [/gpt-?4[.-]1(?!\d)[^/]*mini/, 1_047_576, 32_768, 'cache', [0.4, 1.6, 0.1]],
  [/gpt-?4[.-]1(?!\d)/, 1_047_576, 32_768, 'cache', [2, 8, 0.5]],
  [/gpt-?4o[^/]*mini/, 128_000, 16_384, 'cache', [0.15, 0.6, 0.075]],
  [/gpt-?4o/, 128_000, 16_384, 'cache', [2.5, 10, 1.25]],
  [/gpt-?4[.-]5(?!\d)/, 128_000, 16_384, 'cache'],
  [/gpt-?4-(?:turbo|1106|0125|vision)/, 128_000, 4_096, '', [10, 30, 10]],
  [/gpt-?4-32k/, 32_768, 4_096, ''],
  [/gpt-?4/, 8_192, 4_096, ''],
  [/gpt-?3\.?5/, 16_385, 4_096, ''],
  [/(?:^|[^a-z0-9])o1-(?:preview|mini)/, 128_000, 32_768, 'cache'],
  [/(?:^|[^a-z0-9])o4-mini|(?:^|[^a-z0-9])o3-mini/, 200_000, 100_000, 'cache', [1.1, 4.4, 0.275]],
  [/(?:^|[^a-z0-9])o3(?:-20|$)/, 200_000, 100_000, 'cache', [2, 8, 0.5]],
  [/(?:^|[^a-z0-9])o[134](?![a-z0-9])|codex-mini/, 200_000, 100_000, 'cache'],
  // Google. The window of the 2-million ones is not open to every account.
  [/gemini-?1\.0|gemini-pro$/, 32_760, 8_192, ''],
  [/gemini-?1\.5|gemini-?2\.0/, 1_048_576, 8_192, 'cache'],
  [/gemini-?2\.5-flash-lite/, 1_048_576, 65_535, 'cache', [0.1, 0.4, 0.01]],
  [/gemini-?2\.5-flash/, 1_048_576, 65_535, 'cache', [0.3, 2.5, 0.03]],
  [/gemini-?2\.5-pro/, 1_048_576, 65_535, 'cache', [1.25, 10, 0.125]],
  [/gemini-?3[^/]*image/, 65_536, 32_768, 'cache'],
  [/gemini-?3[^/]*pro/, 1_048_576, 65_536, 'cache', [2, 12, 0.2]],
  [/gemini/, 1_048_576, 65_536, 'cache'],
  [/gemma-?3-?1b|gemma-?3:1b/, 32_768, 8_192, 'alternates'],
  [/gemma-?[3-9]/, 131_072, 8_192, 'alternates'],
  [/gemma/, 8_192, 4_096, 'alternates'],
  // Distilled models have the window of what they were distilled from.
  [/deepseek[-_/]?v?4/, 1_000_000, 384_000, 'cache'],
  [/deepseek[-_/]?(?:v2|coder)/, 65_536, 8_192, ''],
  [/deepseek/, 128_000, 8_192, 'cache'],
  [/qwen-?(?:long|turbo)/, 1_000_000, 8_192, 'cache'],
  [/qwen-?(?:plus|flash)|qwen3-coder-(?:plus|flash)|qwen3\.[5-9]/, 262_144, 32_768, 'cache'],
  [/qwen3-?(?:coder|max|next)|qwen3[^/]*2507/, 262_144, 65_536, 'cache'],
  [/qwen-?2(?!\.5)/, 32_768, 8_192, ''],
  [/qwen-?(?:3|max)|qwen-?2\.5|qwq|qvq/, 131_072, 8_192, ''],
  [/llama-?4/, 131_072, 8_192, ''],
  [/llama[-_ ]?(?:v?3p|3[.-]|v3\.)[1-3]/, 131_072, 8_192, ''],
  [/llama[-_ ]?v?3/, 8_192, 2_048, ''],
  [/llama-?2|codellama/, 4_096, 2_048, 'alternates'],
  [/kimi-k2(?:[.p][5-9]|-0905|-thinking|-turbo)|kimi-k[3-9]/, 262_144, 32_768, 'cache'],
  [/kimi|moonshot-v1-128k|moonshot-v1-auto/, 131_072, 16_384, 'cache'],
  [/moonshot-v1-32k/, 32_768, 8_192, 'cache'],
  [/moonshot-v1-8k/, 8_192, 4_096, 'cache'],
  [/glm-?(?:4[.p][6-9]|[5-9])/, 200_000, 128_000, 'cache'],
  [/glm-?4/, 128_000, 96_000, 'cache'],
  [/minimax-?(?:m1|text)/, 1_000_000, 40_000, 'cache'],
  [/minimax/, 204_800, 128_000, 'cache'],
  [/mistral-?7b|mixtral-?8x7b/, 32_768, 4_096, 'alternates'],
  [/mixtral/, 65_536, 4_096, 'alternates'],
  [/codestral|mistral|ministral|magistral|devstral|pixtral/, 128_000, 16_384, 'alternates'],
  [/grok-?4[^/]*fast|grok-?4[.-][2-9]/, 1_000_000, 30_000, 'cache', [0.2, 0.5, 0.05]],
  [/grok-?(?:4|code|[5-9])/, 256_000, 30_000, 'cache'],
  [/grok/, 131_072, 16_384, 'cache'],
  [/command-?a/, 256_000, 8_192, ''],
  [/command-?r/, 128_000, 4_096, ''],
  [/nova-?(?:premier|2)/, 1_000_000, 10_000, 'cache'],
  [/nova-?(?:pro|lite)/, 300_000, 10_000, 'cache'],
  [/nova-?micro/, 128_000, 10_000, 'cache'],
  [/jamba/, 256_000, 4_096, ''],
  [/phi-?4/, 16_384, 4_096, ''],
]
