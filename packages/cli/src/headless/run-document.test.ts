import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '@palimpsest/agent'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { repository } from '../built-command.test-data.ts'
import { exitCode } from '../exit-code.ts'
import type { CompactionJson } from './compaction-tally.ts'
import { eventJson } from './event-json.ts'
import { OUTPUT_FORMATS } from './output-formats.ts'
import { failedStart, type RunResult } from './run-result.ts'

const [, headless = '', events = ''] = /## Without a terminal\n([\s\S]*?)\n## Events\n([\s\S]*)/.exec(
  readFileSync(join(repository, 'docs/agent.md'), 'utf8'),
) ?? ['']

const usage = { input: 9, cacheRead: 4, cacheWrite: 2, output: 1 }
const error = new PalimpsestError('effect-failed', 'It broke.')
const ended = { id: 'c', reason: 'threshold', attempts: 1 } as const

/** One of each kind, with all that it may have. */
const EACH: { readonly [Type in AgentEvent['type']]: Extract<AgentEvent, { readonly type: Type }> } = {
  'turn-started': { type: 'turn-started', session: 's', turn: 1 },
  'step-started': { type: 'step-started', step: 1, model: 'm' },
  'text-delta': { type: 'text-delta', text: 'a' },
  'reasoning-delta': { type: 'reasoning-delta', text: 'a' },
  rewind: { type: 'rewind', reason: 'overflow' },
  retry: { type: 'retry', attempt: 1, milliseconds: 500, message: 'Busy.' },
  'step-ended': { type: 'step-ended', step: 1, text: 'a', usage },
  'tool-call': { type: 'tool-call', id: 't', name: 'bash', input: {} },
  'permission-asked': {
    ...{ type: 'permission-asked', id: 't' },
    request: { tool: 'bash', kind: 'command', target: 'ls' },
  },
  'permission-answered': { type: 'permission-answered', id: 't', answer: 'once' },
  'tool-result': {
    ...{ type: 'tool-result', id: 't', name: 'bash', text: 'a', failed: true, exitCode: 1, brief: 'exit 1' },
    milliseconds: 5,
  },
  'compaction-started': { type: 'compaction-started', id: 'c', reason: 'tool', tokensBefore: 9, cancel: () => {} },
  'summary-delta': { type: 'summary-delta', text: 'a' },
  'compaction-applied': {
    ...{ type: 'compaction-applied', ...ended, tokensBefore: 9, tokensAfter: 3, evicted: 4, recordId: 'r' },
  },
  'compaction-cancelled': { type: 'compaction-cancelled', ...ended },
  'compaction-failed': { type: 'compaction-failed', ...ended, error },
  warning: { type: 'warning', message: 'Careful.' },
  'sub-agent': { type: 'sub-agent', id: 't', event: { type: 'warning', message: 'Careful.' } },
  'turn-ended': { type: 'turn-ended', outcome: 'failed', error },
}

describe('docs/agent.md tells what a machine gets to read', () => {
  it.each(Object.values(EACH).filter(({ type }) => type !== 'summary-delta'))('of $type', (event) => {
    const row = events.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${event.type}\``)) ?? ''
    for (const field of Object.keys(eventJson(event) ?? {})) if (field !== 'type') expect(row).toContain(`\`${field}\``)
  })

  it('F4 of the text of a summary: nothing', () => {
    expect(eventJson(EACH['summary-delta'])).toBeUndefined()
  })

  it('of the result', () => {
    const compaction: Required<CompactionJson> = {
      ...{ id: 'c', reason: 'tool', before: 9, after: 3, evicted: 4, attempts: 1, outcome: 'failed' },
      error: { code: 'effect-failed', message: 'It broke.' },
    }
    const result: Required<RunResult> = {
      ...failedStart({ code: 'not-found', message: 'No key.', hint: 'Set one.' }, 2),
      ...{ session: 's', model: 'm', dollars: 1, compactions: [compaction] },
      error: { code: 'not-found', message: 'No key.', hint: 'Set one.' },
    }
    const { type: _, ...fields } = result
    const told = [fields, compaction, result.usage, result.usage.chat, result.error]
    for (const field of told.flatMap(Object.keys)) expect(headless).toContain(`\`${field}\``)
  })

  it('of forms and exit codes', () => {
    for (const format of OUTPUT_FORMATS) expect(headless).toContain(`| \`${format}\` |`)
    const { fine, wrong, unusable, cannotFit, provider, interrupted } = exitCode
    const codes = [...headless.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    expect(codes).toEqual([fine, wrong, unusable, cannotFit, provider, interrupted])
  })
})
