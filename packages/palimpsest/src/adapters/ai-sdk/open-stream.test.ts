import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OverflowFacts } from '../../dialects/dialect.ts'
import { type JudgedAttempt, openStream } from './open-stream.ts'

const FACTS: OverflowFacts = { kind: 'tokens', detail: 'too long' }
const OVERFLOW = { type: 'error', error: 'overflow' }

/** An attempt to which errors named `overflow`, and answers cut by the window, are overflows; it counts what it is told. */
function attemptOf() {
  const marks: OverflowFacts[] = []
  const observed: unknown[] = []
  const attempt: JudgedAttempt = {
    overflow: (failure) => (failure === 'overflow' ? FACTS : undefined),
    observe: (part) => {
      observed.push(part)
      return (part as { readonly cut?: boolean }).cut ? FACTS : undefined
    },
    done: () => {},
    markOverflow: (facts) => void marks.push(facts),
  }
  return { attempt, marks, observed }
}

function sourceOf(parts: readonly unknown[], failure?: unknown): ReadableStream<unknown> {
  const left = [...parts]
  return new ReadableStream(
    {
      pull(controller) {
        if (left.length > 0) controller.enqueue(left.shift())
        else if (failure === undefined) controller.close()
        else controller.error(failure)
      },
    },
    { highWaterMark: 0 },
  )
}

/** What a reader gets of a stream, its failure last. */
async function readAll(stream: ReadableStream<unknown>): Promise<unknown[]> {
  const parts: unknown[] = []
  try {
    for await (const part of stream) parts.push(part)
  } catch (failure) {
    parts.push({ failure })
  }
  return parts
}

const envelope = fc.constantFrom(
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r' },
  { type: 'text-start', id: 't' },
  { type: 'raw', rawValue: 1 },
)
const content = fc.constantFrom(
  { type: 'text-delta', id: 't', delta: 'word' },
  { type: 'reasoning-start', id: 'r' },
  { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{}' },
)
const finish = fc.constant({ type: 'finish', usage: {}, finishReason: { unified: 'stop', raw: 'stop' } })
const otherError = fc.constant({ type: 'error', error: 'no network' })
const rest = fc.array(fc.oneof(envelope, content, otherError, finish), { maxLength: 20 })

test('law: a stream without an overflow passes unchanged, however it ends', async () => {
  await fc.assert(
    fc.asyncProperty(rest, fc.option(fc.constant('no network'), { nil: undefined }), async (parts, failure) => {
      const { attempt, marks } = attemptOf()
      const seen: unknown[] = []
      const opened = await openStream(sourceOf(parts, failure), attempt, (part) => seen.push(part))
      expect(opened.kind).toBe('begun')
      const passed = opened.kind === 'begun' ? await readAll(opened.stream) : []
      expect(passed).toEqual(failure === undefined ? parts : [...parts, { failure }])
      expect(seen).toEqual(parts)
      expect(marks).toEqual([])
    }),
  )
})

test('law: an overflow before the first content is told, never shown; one after it is shown, and marked once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(envelope), fc.array(content), async (before, words) => {
      const { attempt, marks } = attemptOf()
      const parts = [...before, ...words, OVERFLOW]
      const opened = await openStream(sourceOf(parts), attempt, () => {})
      if (words.length === 0) {
        expect(opened).toEqual({ kind: 'failed', failure: 'overflow' })
        expect(marks).toEqual([])
        return
      }
      expect(opened.kind === 'begun' && (await readAll(opened.stream))).toEqual(parts)
      expect(marks).toEqual([FACTS])
    }),
  )
})

test.each([
  ['thrown by the stream before its content', [], 'overflow', 'failed'],
  ['told by the reason of an empty answer', [{ type: 'finish', cut: true }], undefined, 'cut'],
])('an overflow %s is told', async (_, parts, failure, kind) => {
  const { attempt, marks } = attemptOf()
  expect((await openStream(sourceOf(parts, failure), attempt, () => {})).kind).toBe(kind)
  expect(marks).toEqual([])
})

test.each([
  ['thrown by the stream behind its content', [], 'overflow'],
  ['told by the reason of an answer', [{ type: 'finish', cut: true }], undefined],
])('an overflow %s is shown as it is, and marked', async (_, behind, failure) => {
  const { attempt, marks } = attemptOf()
  const parts = [{ type: 'text-delta', id: 't', delta: 'word' }, ...behind]
  const opened = await openStream(sourceOf(parts, failure), attempt, () => {})
  const passed = opened.kind === 'begun' ? await readAll(opened.stream) : []
  expect(passed).toEqual(failure === undefined ? parts : [...parts, { failure }])
  expect(marks).toEqual([FACTS])
})

test('usage is taken once, also of an answer that was held to its end', async () => {
  const { attempt, observed } = attemptOf()
  const opened = await openStream(sourceOf([{ type: 'stream-start' }, { type: 'finish' }]), attempt, () => {})
  expect(opened.kind === 'begun' && (await readAll(opened.stream))).toHaveLength(2)
  expect(observed).toHaveLength(1)
})
