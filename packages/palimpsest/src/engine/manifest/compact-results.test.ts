import { ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { anthropicMessages, langchain } from '../../dialects/index.ts'
import { compactResults } from './compact-results.ts'

describe('an item whose results are not kept', () => {
  const compact = (content: unknown) =>
    compactResults(anthropicMessages, {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content }],
    } as never)

  it('says whether the call failed and with which exit code, and nothing else of the output', () => {
    expect(JSON.stringify(compact('Exit code 3\nthe password is hunter2'))).toContain(
      '"content":"[output not kept: failed, exit code 3]"',
    )
    expect(JSON.stringify(compact('all is well'))).toContain('"content":"[output not kept: ok]"')
    const picture = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }]
    expect(JSON.stringify(compact(picture))).not.toContain('AAAA')
  })

  it('is the same object when asked again, and an output that only begins like one is not kept', () => {
    const once = compact('Exit code 3\nx')
    expect(compactResults(anthropicMessages, once as never)).toBe(once)
    expect(JSON.stringify(compact('[output not kept: ok] hunter2'))).not.toContain('hunter2')
    const user = { role: 'user', content: 'Exit code 3' } as const
    expect(compactResults(anthropicMessages, user)).toBe(user)
  })

  it('has no raw output of LangChain either', () => {
    const message = new ToolMessage({
      content: 'shown',
      artifact: { raw: 'hunter2' },
      tool_call_id: 'c1',
      name: 'read',
    })
    const kept = compactResults(langchain, message as never) as unknown as ToolMessage
    expect(JSON.stringify(kept.toJSON())).not.toMatch(/hunter2|shown/)
    expect(kept).toBeInstanceOf(ToolMessage)
    expect(message.artifact).toEqual({ raw: 'hunter2' })
  })
})
