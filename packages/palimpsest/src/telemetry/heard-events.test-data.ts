import type { Heard } from './heard-event.ts'

export const NOW = Date.parse('2026-02-03T04:05:06.000Z')
export const BASE = { id: 's/1', session: 'session-1', model: 'claude-sonnet-4-5', upstream: 'api.anthropic.com' }
export const APPLIED: Heard<'compaction-applied'> = {
  ...{
    ...BASE,
    type: 'compaction-applied',
    reason: 'threshold',
    strategies: ['summarizeOlder'],
    truncatedArguments: 3,
  },
  ...{ tokensBefore: 168_000.4, tokensAfter: 21_000, evicted: 42, historyPath: '/sessions/session-1.md' },
}
export const SUMMARIZED: Heard<'summarizer-called'> = {
  ...{ ...BASE, type: 'summarizer-called', by: 'claude-haiku-4-5', asked: 'claude-haiku-4-5' },
  ...{ usage: { input: 9_000, output: 700 }, milliseconds: 2_500, rejections: ['too-short'] },
}
export const USED: Heard<'usage-observed'> = {
  ...{ ...BASE, type: 'usage-observed', window: 200_000 },
  usage: { input: 20_000, cacheRead: 15_000, cacheWrite: 1_000, output: 300 },
}
export const OVERFLOW: Heard<'overflow-detected'> = {
  ...{ ...BASE, type: 'overflow-detected', attempt: 1, remedy: 'compaction' },
  facts: { kind: 'tokens', limit: 200_000, size: 204_512 },
}
