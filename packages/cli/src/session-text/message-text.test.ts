import { anthropicMessages } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { messageText, toolNamesOf } from './message-text.ts'

const viewOf = (item: object) => anthropicMessages.view(item as never)

function shown(content: unknown, options: object = {}): string {
  return messageText(viewOf({ role: 'user', content }), { columns: 40, ...options })
}

describe('a message for a person', () => {
  it('is its texts, clipped at the line and after six lines', () => {
    expect(shown('Short.')).toBe('  Short.')
    expect(shown(`${'word '.repeat(20)}\n2\n3\n4\n5\n6\n7\n8\n`)).toBe(
      ['  word word word word word word word wo…', '  2', '  3', '  4', '  5', '  6', '  … 2 more lines'].join('\n'),
    )
    expect(shown('1\n2\n3\n4\n5\n6\n7', { full: true })).toBe('  1\n  2\n  3\n  4\n  5\n  6\n  7')
  })

  it('names calls, results with their size, reasoning and pictures', () => {
    const call = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'src/a.ts' } }
    expect(shown([call])).toBe('  → read {"path":"src/a.ts"}')
    const toolNames = toolNamesOf([viewOf({ role: 'assistant', content: [call] })])
    const result = { type: 'tool_result', tool_use_id: 'c1', content: 'no such file', is_error: true }
    expect(shown([result], { toolNames })).toBe('  ← read (12 characters, error)\n    no such file')
    expect(shown([result])).toMatch(/^ {2}← c1 /)
    expect(shown([{ type: 'thinking', thinking: 'Hm.', signature: 's' }])).toBe('  reasoning (3 characters)\n    Hm.')
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(2_000) } }
    expect(shown([image])).toBe('  image (image, 2 kB)')
  })

  it('steers no terminal, not by the name of a tool either', () => {
    const call = { type: 'tool_use', id: 'c1', name: 'read\u001b[2J', input: {} }
    expect(shown([call, { type: 'text', text: '\u001b]0;title\u0007' }])).toBe('  → read␛[2J {}\n  ␛]0;title␇')
  })

  it('says so where there is nothing', () => {
    expect(shown([])).toBe('  (empty)')
  })
})
