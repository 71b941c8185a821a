import type { Preset } from './preset.ts'

/** Tokens and messages for a model whose window nobody knows. */
const UNKNOWN_WINDOW = { triggerWithoutWindow: 170_000, keepWithoutWindow: { messages: 6 } } as const

/**
 * Ours. Old payloads shrink first, since that keeps most of what is needed later at no cost; then a summary replaces what
 * is older than the newest tenth of the window. It ends at half of the trigger: a compaction breaks the provider's
 * prompt cache, so one large step is cheaper than many small ones.
 */
const palimpsest: Preset = {
  name: 'palimpsest',
  ...UNKNOWN_WINDOW,
  trigger: { fraction: 0.85, of: 'window' },
  target: 0.5,
  keep: { fraction: 0.1, of: 'window' },
  rungs: [
    { strategy: 'offloadArtifacts' },
    { strategy: 'truncateToolPayloads' },
    { strategy: 'summarizeOlder' },
    { strategy: 'dropOldestTurns' },
    { strategy: 'offloadArtifacts', floor: true },
    { strategy: 'squeezeFloor' },
  ],
}

/** Trigger 0.85 of the window, newest tenth of the messages kept, from an assistant message on. */
const hango: Preset = {
  name: 'hango',
  ...UNKNOWN_WINDOW,
  trigger: { fraction: 0.85, of: 'window' },
  target: 0.75,
  keep: { fraction: 0.1, of: 'messages' },
  rungs: [
    { strategy: 'summarizeOlder', keptStartsWith: 'assistant' },
    { strategy: 'truncateToolPayloads' },
    { strategy: 'dropOldestTurns' },
    { strategy: 'offloadArtifacts', floor: true },
    { strategy: 'squeezeFloor' },
  ],
}

/** Trigger 0.90 of the effective budget; one message with summary and last user message is all that is kept. */
const keen: Preset = {
  name: 'keen',
  ...UNKNOWN_WINDOW,
  trigger: { fraction: 0.9, of: 'effective' },
  target: 1,
  keep: { messages: 0 },
  rungs: [{ strategy: 'summarizeOlder', form: 'keen' }],
  overflowRetries: 1,
  summaryFallback: 'none',
}

/** Keeps about a third of the conversation and summarises the rest. */
const goclaw: Preset = {
  name: 'goclaw',
  ...UNKNOWN_WINDOW,
  trigger: { fraction: 0.85, of: 'window' },
  target: 0.75,
  keep: { fraction: 0.3, of: 'messages' },
  rungs: [
    { strategy: 'summarizeOlder' },
    { strategy: 'truncateToolPayloads' },
    { strategy: 'dropOldestTurns' },
    { strategy: 'offloadArtifacts', floor: true },
    { strategy: 'squeezeFloor' },
  ],
}

/** 0.85 and 0.10 by tokens; old arguments shrink before anything is summarised. */
const deepagents: Preset = {
  name: 'deepagents',
  ...UNKNOWN_WINDOW,
  trigger: { fraction: 0.85, of: 'window' },
  target: 0.75,
  keep: { fraction: 0.1, of: 'window' },
  rungs: [
    { strategy: 'truncateToolPayloads', maxResultTokens: Number.MAX_SAFE_INTEGER, media: false },
    { strategy: 'summarizeOlder' },
    { strategy: 'dropOldestTurns' },
    { strategy: 'offloadArtifacts', floor: true },
    { strategy: 'squeezeFloor' },
  ],
}

/** The policies that come with the library, by name. */
export const PRESETS: Readonly<Record<string, Preset>> = { palimpsest, hango, keen, goclaw, deepagents }

/** What is used when nothing is said. */
export const DEFAULT_PRESET: Preset = palimpsest
