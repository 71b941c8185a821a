import type { LabCall, Reply } from '@palimpsest/wirelab'
import { describe, expect, it } from 'vitest'
import { DEMO_PROMPT } from './demo-scenes.ts'
import { demoScript } from './demo-script.ts'

interface Message {
  readonly role: string
  readonly content: unknown
}

const { script } = demoScript({ pace: { step: 0, summary: 0 }, mark: 'm' })

async function ask(messages: readonly Message[], answered = 0): Promise<Reply> {
  if (typeof script !== 'function') throw new TypeError('The demo is a function of the call.')
  return script({ body: { messages }, answered } as unknown as LabCall)
}

/** The tools that a turn calls until it answers, and its answer; `says` is what each of them gives. */
async function played(prompt: string, says: (tool: string, input: object) => string) {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: prompt }] }]
  const called: string[] = []
  const ids: string[] = []
  for (let answered = 0; answered < 30; answered += 1) {
    const { parts } = await ask(messages, answered)
    const calls = parts.flatMap((part) => (part.kind === 'tool-call' ? [part] : []))
    const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
    if (calls.length === 0) return { called, ids, text, messages }
    called.push(calls.map(({ name }) => name).join('+'))
    ids.push(...calls.map(({ id }) => id))
    const asked = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
    const results = calls.map(({ id, name, input }) => ({
      ...{ type: 'tool_result', tool_use_id: id },
      content: [{ type: 'text', text: says(name, input) }],
    }))
    messages.push({ role: 'assistant', content: asked }, { role: 'user', content: results })
  }
  throw new Error('The demo does not end.')
}

/** The project as the demo finds it, and once it is mended. */
function project() {
  let isMended = false
  return (tool: string): string => {
    if (tool === 'list_files') return 'src/money.js\nsrc/report.js'
    if (tool === 'edit_file') isMended = true
    return tool === 'bash' ? `# pass 6\n# fail ${isMended ? 0 : 3}` : 'text'
  }
}

describe('the demo', () => {
  it('looks, tests, mends, tests again, and says what it did', async () => {
    const { called, ids, text } = await played(DEMO_PROMPT, project())
    expect(called).toEqual([
      ...['list_files', 'read_file+read_file+read_file', 'bash', 'search_files+read_file+read_file'],
      ...['bash+read_file', 'read_file+read_file', 'edit_file', 'edit_file', 'bash'],
    ])
    expect(new Set(ids).size).toBe(ids.length)
    expect(text).toMatch(/^\*\*Mended\*\*[\s\S]*`\/undo`/)
  })

  it('does not claim what did not happen: a change that was denied, a project that is whole', async () => {
    const denied = await played(DEMO_PROMPT, (tool) => (tool === 'list_files' ? 'src/money.js' : '# fail 3'))
    expect(denied.text).toMatch(/^The tests still fail/)
    const whole = await played('fix it', (tool) => (tool === 'list_files' ? 'src/money.js' : '# fail 0'))
    expect(whole.text).toMatch(/nothing to mend/)
    expect(whole.called).not.toContain('edit_file')
  })

  it('leaves a folder alone that is not its project', async () => {
    const { called, text } = await played(DEMO_PROMPT, () => 'README.md')
    expect(called).toEqual(['list_files'])
    expect(text).toMatch(/npm run demo/)
  })

  it('answers what is said afterwards, with what can be tried', async () => {
    const tests = await played('run the tests again', () => '# fail 0')
    expect([tests.called, tests.text]).toEqual([['bash'], expect.stringMatching(/^All of them pass/)])
    const { called, text } = await played('who are you?', () => '')
    expect(called).toEqual([])
    for (const command of ['/context', '/compact', '/undo']) expect(text).toContain(command)
  })

  it('goes on where it was, whatever left the request before its newest results', async () => {
    const { messages } = await played(DEMO_PROMPT, project())
    const summary: Message = { role: 'user', content: 'A summary of what was done.' }
    for (let at = 2; at < messages.length; at += 2) {
      const whole = await ask(messages.slice(0, at + 1), 4)
      expect(await ask([summary, ...messages.slice(at - 1, at + 1)], 4)).toEqual(whole)
    }
  })

  it('goes on where it was broken off, when it is told to', async () => {
    const { messages } = await played(DEMO_PROMPT, project())
    const broken = messages.slice(0, 6)
    const again = await ask([...broken, { role: 'user', content: 'go on' }], 9)
    const call = again.parts.find((part) => part.kind === 'tool-call')
    expect(call?.id).toMatch(/^demo_mend_2_/)
  })
})
