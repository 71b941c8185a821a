import { memorySessions, Session } from '@palimpsest/sessions'
import { aiSdk, type Dialect } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { screenNotation } from './repl-screen.test-data.ts'
import { briefsOf, replaySession } from './replay-session.ts'

const dialect = aiSdk as unknown as Dialect<unknown, object>

async function replayed(write: (session: Session) => void): Promise<string> {
  const session = await Session.create(memorySessions().open(), 'one', { dialect })
  write(session)
  await session.commit()
  return screenNotation({ segments: replaySession(await session.display(), session.dialect) })
}

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (...content: readonly object[]) => ({ role: 'assistant', content })
const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'bash', input: { command: 'ls' } })
const result = (toolCallId: string, value: string) => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'bash', output: { type: 'text', value } }],
})

describe('F7 a replay shows what the user saw', () => {
  it('messages, reasoning, calls with their results, and what was shown beside them, in order', async () => {
    const shown = await replayed((session) => {
      session.appendItems([
        user('Hi'),
        assistant({ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'A' }, call('1')),
      ])
      session.appendItems([result('1', 'a\nb')])
      session.add({ type: 'display-segment', role: 'notice', text: 'Context compacted.' })
      session.appendItems([assistant({ type: 'text', text: 'B' })])
    })
    expect(shown).toBe('user:Hi | reasoning:Hm | assistant:A | tool:1=2 | notice:Context compacted. | assistant:B')
  })

  it('each result at its call, also where an id comes again', async () => {
    const shown = await replayed((session) => {
      session.appendItems([user('Hi'), assistant(call('1'), call('2')), result('2', 'b'), result('1', 'a\na\na')])
      session.appendItems([assistant(call('1')), result('1', 'x\ny')])
    })
    expect(shown).toBe('user:Hi | tool:1=3 | tool:2=1 | tool:1=2')
  })

  it('what was said beside a result, at the right one where an id comes again, without what was undone', async () => {
    const store = memorySessions().open()
    const session = await Session.create(store, 'one', { dialect })
    const ran = (brief: string | undefined) => {
      session.requestAction({ action: '1', kind: 'tool', name: 'bash' })
      session.completeAction('1', 'ok', brief === undefined ? {} : { output: { brief } })
      session.appendItems([assistant(call('1')), result('1', 'x')])
    }
    session.appendItems([user('Hi')])
    ran('exit 1')
    const { seq } = session.place
    ran('undone')
    await session.commit()
    await session.rewind(seq)
    ran(undefined)
    ran('created, +2')
    await session.commit()
    const briefs = briefsOf(await store.read('one'), session.snapshot)
    const segments = replaySession(await session.display(), dialect, briefs)
    const said = segments.flatMap((segment) => (segment.kind === 'tool' ? [segment.result?.brief] : []))
    expect(said).toEqual(['exit 1', undefined, 'created, +2'])
  })

  it('nothing that a client put in by itself', async () => {
    const shown = await replayed((session) => {
      session.appendItems([user('By us')], { injected: true })
      session.appendItems([user('By the user')])
    })
    expect(shown).toBe('user:By the user')
  })
})
