import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Effect } from '../engine/index.ts'
import { decodePreset, dialectByName, evictedEntries, type Transcript } from '../index.ts'
import { DirectoryHistory } from '../stores/node.ts'
import { compactCase, compacted, compactMocked, expectWellFormed, fillerChars } from './cases.test-data.ts'
import {
  anthropicRequest,
  chatRequest,
  FORMATS,
  type FormatName,
  type Step,
  scripted,
} from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const chat = dialectByName('openai-chat')

/** A policy that cuts every old payload to its two ends, whatever it saves. */
const cutting = (head: number, tail: number, more: object = {}) =>
  decodePreset({
    trigger: { tokens: 1 },
    keep: { messages: 1 },
    rungs: [{ strategy: 'truncateToolPayloads', maxArgTokens: 10, head, tail, ...more }],
  })

describe('letters of more than one unit', () => {
  const letters = '🧑‍🚀é漢𝔘'
  /** The note of what is missing, at its longest: what a limit of so many characters holds beside the two ends. */
  const note = '[… 9007199254740991 characters left out …]'.length
  const limits = Array.from({ length: 17 }, (_, index) => 100 + index)
  const marker = /\[… \d+ characters left out …\]/

  function cutTo(format: FormatName, limit: number, text: string, args: object): readonly string[] {
    const steps: readonly Step[] = [
      { user: 'read it' },
      { calls: [{ id: 'u1', name: 'write', args, result: text }] },
      { say: 'read' },
      { user: 'go on' },
    ]
    const head = Math.floor((limit - note) / 2)
    const options = { preset: cutting(head, limit - note - head), window: 200_000 }
    const run = compactCase(dialectByName(format), scripted(format, steps), options)
    return run.views.flatMap((view) =>
      view.parts.flatMap((part) => (part.kind === 'tool-result' || part.kind === 'tool-call' ? [part.text()] : [])),
    )
  }

  it.each(FORMATS)('TC-36 stay whole at every limit (%s)', (format) => {
    for (const limit of limits) {
      const long = letters.repeat(80)
      const [call = '', result = ''] = cutTo(format, limit, long, { path: 'a', content: long })
      expectWellFormed([call, result])
      expect(call + result).not.toContain('\ufffd')
      const args = JSON.parse(call) as { path: string; content: string }
      expect(args.path).toBe('a')
      // a result of Gemini is an object: its JSON text is what was cut
      const isObject = format === 'gemini'
      const text = isObject ? (JSON.parse(result) as { output: string }).output : result
      const opening = isObject ? '{"output":"' : ''
      expectCut(args.content, { long, limit })
      expectCut(text, { long: isObject ? JSON.stringify({ output: long }) : long, limit, opening })
      expect(JSON.parse(JSON.stringify({ call, result }))).toEqual({ call, result })
    }
  })

  interface Original {
    readonly long: string
    readonly limit: number
    readonly opening?: string
  }

  /** Both ends of the original, of whole letters, with a mark between them, within the limit. */
  function expectCut(cut: string, { long, limit, opening = '' }: Original): void {
    expect(cut.length).toBeLessThanOrEqual(limit)
    expect(cut).toMatch(marker)
    const [before = '', after = ''] = cut.split(marker)
    expect(long.startsWith(before) && long.endsWith(after)).toBe(true)
    expect(ends(before.slice(opening.length))).toBe(true)
  }

  /** Does a piece of the pattern end behind one of its letters? */
  function ends(piece: string): boolean {
    const rest = piece.slice(Math.floor(piece.length / letters.length) * letters.length)
    return ['', '🧑‍🚀', '🧑‍🚀é', '🧑‍🚀é漢'].includes(rest)
  }

  it.each(FORMATS)('TC-36 what is short enough stays, without a mark (%s)', (format) => {
    const short = letters.repeat(10)
    const [call = '', result = ''] = cutTo(format, 116, short, { path: 'a', content: short })
    expect((JSON.parse(call) as { content: string }).content).toBe(short)
    expect(result).toContain(short)
    expect(call + result).not.toMatch(marker)
  })

  it.each(FORMATS)('TC-36 half a letter in the input is mended where it is cut (%s)', (format) => {
    for (const limit of limits) {
      const broken = `${letters.repeat(40)}\ud83d${letters.repeat(40)}`
      expectWellFormed(cutTo(format, limit, `\ud83d${broken}\ud83d`, { path: 'a', content: `\ud83d${broken}` }))
    }
  })
})

describe('large payloads', () => {
  const folders: string[] = []
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'palimpsest-cases-'))
    folders.push(path)
    return path
  }
  afterAll(async () => {
    for (const path of folders) await rm(path, { recursive: true, force: true })
  })
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')

  /** Stores what is asked for by its content, as a driver does. */
  function storing(kept: Map<string, string>) {
    return (effect: Effect, transcript: Transcript<object>) => {
      if (effect.kind === 'summarize') return undefined
      const { position, part } = effect.request
      const text = transcript.view(position).parts[part]?.text() ?? ''
      kept.set(hash(text), text)
      return hash(text)
    }
  }

  const line = fillerChars(400_000)
  const big = anthropicRequest([
    { role: 'user', content: 'read the log' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: { path: 'log' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: line }] },
    { role: 'assistant', content: 'it is long' },
    { role: 'user', content: 'go on' },
  ])

  it('TC-38 a result of one long line becomes a bounded preview, its original stored before the reference is shown', () => {
    const kept = new Map<string, string>()
    const given = { dialect: anthropic, request: big, window: 64_000, canRead: true }
    const { outcome } = compactMocked(given, storing(kept))
    if (outcome.status !== 'compacted') throw outcome.error
    expect(outcome.strategies).toEqual(['offloadArtifacts'])
    const shown = outcome.items.flatMap((item) => anthropic.view(item).parts.map((part) => part.text())).join('\n')
    const [key = ''] = [...shown.matchAll(/artifact:\/\/([0-9a-f]+)/g)].map((match) => match[1] ?? '')
    expect(hash(kept.get(key) ?? '')).toBe(hash(line))
    expect(shown.length).toBeLessThan(1_000)
    const failing = compactMocked(given, () => undefined)
    const text = JSON.stringify(failing.outcome.status === 'compacted' ? failing.outcome.items : [])
    expect(text).not.toContain('artifact://')
  })

  it('TC-38 a result of one long line becomes a bounded preview for those who cannot read artifacts', () => {
    const run = compactCase(anthropic, big, { window: 64_000, keep: { messages: 2 } })
    compacted(run)
    expect(run.texts.join('\n').length).toBeLessThan(1_500)
    expect(run.json).not.toContain('artifact://')
  })

  it('TC-38 an argument of megabytes shrinks, stays JSON of its shape, and is marked', () => {
    const input = { path: 'out.txt', content: fillerChars(2_600_000), mode: 420 }
    const request = anthropicRequest([
      { role: 'user', content: 'write it' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'w1', name: 'write', input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'w1', content: 'ok' }] },
      { role: 'assistant', content: 'written' },
      { role: 'user', content: 'go on' },
    ])
    const run = compactCase(anthropic, request, { window: 200_000, keep: { messages: 2 } })
    expect(compacted(run).strategies).toEqual(['truncateToolPayloads'])
    const call = run.views.flatMap((view) => view.parts).find((part) => part.kind === 'tool-call')
    const args = JSON.parse(call?.text() ?? '') as typeof input
    expect(args).toMatchObject({ path: 'out.txt', mode: 420 })
    expect(Object.keys(args)).toEqual(Object.keys(input))
    expect(args.content.length).toBeLessThan(500)
    expect(args.content).toMatch(/\[… \d+ characters left out …\]/)
    expect(run.texts).toContain('ok')
  })

  it('TC-38 a large result stays whole where there is room', () => {
    const steps: readonly Step[] = [{ user: 'read' }, { calls: [{ id: 'r1', result: fillerChars(160_000) }] }]
    for (const format of FORMATS) {
      const request = scripted(format, steps)
      const run = compactCase(dialectByName(format), request, { window: 1_000_000 })
      expect(run.result.status).toBe('unchanged')
      expect(run.json).toBe(JSON.stringify(request))
    }
  })

  it('CF-21 preview and pointer are bounded, whatever the ids, and equal ids do not collide', () => {
    const longId = `call_${'x'.repeat(1_500)}`
    const results = ['A', 'B'].map((mark) => `${mark}${fillerChars(90_000, mark === 'A' ? 1 : 2)}`)
    const round = (id: string, content: string) => [
      { role: 'user', content: 'read' },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
      { role: 'assistant', content: 'ok' },
    ]
    for (const id of [longId, '']) {
      const messages = [...results.flatMap((text) => round(id, text)), { role: 'user', content: 'go on' }]
      const kept = new Map<string, string>()
      const given = { dialect: anthropic, request: anthropicRequest(messages), window: 24_000, canRead: true }
      const { outcome } = compactMocked(given, storing(kept))
      if (outcome.status !== 'compacted') throw outcome.error
      const shown = outcome.items
        .flatMap((item) => anthropic.view(item).parts)
        .filter((part) => part.kind === 'tool-result')
        .map((part) => part.text())
      expect(shown).toHaveLength(2)
      for (const [index, text] of shown.entries()) {
        expect(text.length).toBeLessThan(800)
        const key = /artifact:\/\/(\S+)\]/.exec(text)?.[1] ?? ''
        expect(key.length).toBeLessThanOrEqual(64)
        expect(kept.get(key)).toBe(results[index])
      }
    }
  })

  it('CF-19 shortens only old and large arguments of the named tools, and keeps the whole in the history', async () => {
    const args = (mark: string, size: number) => JSON.stringify({ path: mark, content: mark + fillerChars(size) })
    const step = (id: string, name: string, text: string) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: text }, extra_content: { signature: id } }],
        usage: { prompt_tokens: 100, completion_tokens: 7 },
        metadata: { trace: `trace-${id}` },
      },
      { role: 'tool', tool_call_id: id, content: 'ok', metadata: { took: 3 } },
    ]
    const oldLarge = args('old', 200)
    const messages = [
      { role: 'user', content: 'write', metadata: { from: 'cli' } },
      ...step('a1', 'write', oldLarge),
      ...step('a2', 'bash', args('other', 200)),
      ...step('a3', 'write', args('small', 4)),
      { role: 'user', content: 'more' },
      ...step('a4', 'write', args('recent', 200)),
      { role: 'user', content: 'go on' },
    ]
    const request = chatRequest(messages)
    const preset = cutting(20, 20, { only: ['write', 'edit'], keepRecent: 4 })
    const run = compactCase(chat, request, { preset, window: 100_000 })
    const { plan } = compacted(run)
    expect(plan.truncations).toHaveLength(1)
    const call = { ...messages[1], tool_calls: undefined }
    expect({ ...run.items[1], tool_calls: undefined }).toEqual(call)
    expect(run.items.map((item, index) => (index === 1 ? undefined : item))).toEqual(
      messages.map((message, index) => (index === 1 ? undefined : message)),
    )
    const [shown] = (run.items[1] as { tool_calls: readonly { id: string; function: { arguments: string } }[] })
      .tool_calls
    expect(shown).toMatchObject({ id: 'a1', extra_content: { signature: 'a1' } })
    expect(JSON.parse(shown?.function.arguments ?? '')).toMatchObject({ path: 'old' })
    expect(shown?.function.arguments.length).toBeLessThan(oldLarge.length)
    const { transcript } = compactMocked({ dialect: chat, request, window: 100_000 }, () => undefined)
    const path = await new DirectoryHistory(await folder()).append('s', evictedEntries(transcript, plan))
    expect(await readFile(path, 'utf8')).toContain(oldLarge)
  })
})
