import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCheckpointText, unwrapCheckpoint, wrapCheckpoint } from './checkpoint-text.ts'

const CLOSING = /<\/\s*(?:compacted_context|last_user_message)/gi

/** Texts in which the tags, escapes of them, white space and replacement patterns are likely. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<compacted_context>',
        '</compacted_context>',
        '<\\/compacted_context>',
        '<\\\\/compacted_context>',
        '< / Compacted_Context >',
        '<last_user_message>',
        '</last_user_message>',
        '\n</last_user_message>\n\n',
        '<',
        '\\',
        '/',
        '\n',
        '\n\n',
        ' ',
        '$&',
        '$$',
        "$'",
        '{x}',
        '</summary>',
        '\ud83d',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

test('a summary opens no tag of the wrapper, and comes back as it was', () => {
  const opening = /<\s*(?:compacted_context|last_user_message)/gi
  fc.assert(
    fc.property(text, (summary) => {
      const wrapped = wrapCheckpoint({ summary, lastUserMessage: 'Go on.' })
      expect(wrapped.match(opening)).toEqual(['<compacted_context', '<last_user_message'])
      expect(unwrapCheckpoint(wrapped)?.summary).toBe(summary)
    }),
    { numRuns: 1000 },
  )
})

describe('the form', () => {
  test('with a last user message', () => {
    const checkpoint = { summary: '## Goal\nRename the flag.', lastUserMessage: 'Now update the docs.' }
    expect(wrapCheckpoint(checkpoint)).toMatchInlineSnapshot(`
      "<compacted_context>
      The earlier part of this conversation was compacted automatically so that it fits into the context window of the model. What follows stands in its place and keeps the goals, constraints, progress, discoveries, tool results and pending work.

      ## Goal
      Rename the flag.
      </compacted_context>

      <last_user_message>
      This is the most recent message of the user, word for word. Take it as the current task, and its requirements as authoritative.

      Now update the docs.
      </last_user_message>"
    `)
  })

  test('with a note and without a last user message', () => {
    const note = 'The whole conversation is in\n/conversation_history/s1.md; read it with read_file.'
    expect(wrapCheckpoint({ summary: 'Renamed the flag.', note })).toMatchInlineSnapshot(`
      "<compacted_context>
      The earlier part of this conversation was compacted automatically so that it fits into the context window of the model. What follows stands in its place and keeps the goals, constraints, progress, discoveries, tool results and pending work.
      The whole conversation is in /conversation_history/s1.md; read it with read_file.

      Renamed the flag.
      </compacted_context>"
    `)
  })

  test('is recognised by its opening', () => {
    expect(isCheckpointText(wrapCheckpoint({ summary: 'x' }))).toBe(true)
    expect(isCheckpointText('please explain <compacted_context>')).toBe(false)
  })
})

describe('what goes in comes out', () => {
  test('any summary and message', () => {
    fc.assert(
      fc.property(text, fc.option(text, { nil: undefined }), (summary, lastUserMessage) => {
        const checkpoint = { summary, ...(lastUserMessage !== undefined && { lastUserMessage }) }
        expect(unwrapCheckpoint(wrapCheckpoint(checkpoint))).toEqual(checkpoint)
      }),
      { numRuns: 1000 },
    )
  })

  test('any note, on one line', () => {
    fc.assert(
      fc.property(text, text, text, (summary, lastUserMessage, note) => {
        const line = note.replace(/\s+/g, ' ').trim()
        const expected = { summary, lastUserMessage, ...(line !== '' && { note: line }) }
        expect(unwrapCheckpoint(wrapCheckpoint({ summary, lastUserMessage, note }))).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })

  test('CF-17 replacement patterns and foreign tags stand in the text as they are', () => {
    for (const words of ['$&', '$$', "$' $` $1", '{x}', '</summary>']) {
      const wrapped = wrapCheckpoint({ summary: words, lastUserMessage: words })
      expect(wrapped.split(words)).toHaveLength(3)
    }
  })

  test('content closes no tag', () => {
    fc.assert(
      fc.property(text, text, text, (summary, lastUserMessage, note) => {
        const wrapped = wrapCheckpoint({ summary, lastUserMessage, note })
        expect(wrapped.match(CLOSING)).toEqual(['</compacted_context', '</last_user_message'])
      }),
      { numRuns: 1000 },
    )
  })
})

describe('other texts are no checkpoint of ours', () => {
  const whole = wrapCheckpoint({ summary: 'a', lastUserMessage: 'b' })
  test.each([
    '',
    'hello',
    '<compacted_context>\nother words\n\nsummary\n</compacted_context>',
    ` ${whole}`,
    `${whole}\n`,
    `${whole}\n\nand one more thing`,
    whole.slice(0, -1),
    whole.slice(0, whole.indexOf('a\n')),
    whole.replace('\n\n<last_user_message>', '\n<last_user_message>'),
  ])('%j', (other) => {
    expect(unwrapCheckpoint(other)).toBeUndefined()
  })

  test('a part of a checkpoint is one only where its second section begins', () => {
    const first = wrapCheckpoint({ summary: 'a' }).length
    for (let length = 0; length < whole.length; length++) {
      expect(unwrapCheckpoint(whole.slice(0, length))).toEqual(length === first ? { summary: 'a' } : undefined)
    }
  })

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(text, fc.nat(whole.length), (other, at) => {
        const found = unwrapCheckpoint(whole.slice(0, at) + other + whole.slice(at))
        expect(found === undefined || typeof found.summary === 'string').toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
