import fc from 'fast-check'
import { call, message, part, result } from '../engine/manifest/transcript.test-data.ts'
import type { MessageView } from '../engine/messages/message.ts'

/** Any message, hostile texts and broken calls among them. */
export function anyView(): fc.Arbitrary<MessageView> {
  const pieces = [
    '$&',
    '</summary>',
    '\ud83d',
    '\udc00',
    '🧑‍🚀',
    'must never',
    'src/a.ts',
    'fooBar',
    '\n',
    '"',
    '*** Begin Patch\n*** Update File: x.ts\n@@\n-a\n+b',
    '*** End Patch',
    '{"output":',
    'a'.repeat(3_000),
    '資料庫',
    '## Goal',
    '`',
    '\\',
    '\u0000',
    'Exit code: 1\n',
  ]
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 12 })
    .map((all) => all.join(' '))
  const tool = fc.constantFrom(
    'Read',
    'Edit',
    'Bash',
    'TodoWrite',
    'TaskCreate',
    'TaskUpdate',
    'exec',
    'apply_patch',
    '',
    'mcp__x__y',
  )
  const args = fc.oneof(
    text,
    fc.json(),
    fc
      .record(
        {
          file_path: text,
          old_string: text,
          new_string: text,
          command: text,
          todos: fc.array(fc.record({ content: text, status: text })),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  )
  const id = fc.constantFrom('a', 'b', 'c')
  const anyPart = fc.oneof(
    text.map((value) => part('text', value)),
    text.map((value) => part('text', value, { injected: true })),
    text.map((value) => part('reasoning', value)),
    fc.tuple(id, tool, args).map(([callId, name, value]) => call(callId, name, value)),
    fc.tuple(id, text, fc.boolean()).map(([callId, value, failed]) => result(callId, value, failed)),
    text.map((value) => part('opaque', value)),
  )
  return fc
    .tuple(fc.constantFrom('user', 'assistant', 'tool', 'system'), fc.array(anyPart, { maxLength: 4 }))
    .map(([role, parts]) => message(role, ...parts))
}
