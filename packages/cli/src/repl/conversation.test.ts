import type { AgentEvent } from '@palimpsest/agent'
import { memorySessions, Session } from '@palimpsest/sessions'
import { aiSdk, type Dialect, PalimpsestError } from 'palimpsest'
import { afterEach, describe, expect, it } from 'vitest'
import { exitCode } from '../exit-code.ts'
import { timesIn } from './screen-reader.test-data.ts'
import { KEYS, type VirtualRepl, type VirtualReplOptions, virtualRepl } from './virtual-repl.test-data.ts'

let open: VirtualRepl | undefined
afterEach(async () => {
  open?.ends.ended('signal')
  await open?.code.catch(() => undefined)
  open = undefined
})

async function started(options: VirtualReplOptions = {}): Promise<VirtualRepl> {
  open = await virtualRepl(options)
  return open
}

const step: AgentEvent = { type: 'step-started', step: 1, model: 'm' }
const says = (text: string): AgentEvent => ({ type: 'text-delta', text })
const dialect = aiSdk as unknown as Dialect<unknown, object>

function compaction(reason: 'threshold' | 'manual' = 'threshold', cancel = () => {}): AgentEvent {
  return { type: 'compaction-started', id: 'c', reason, tokensBefore: 900, cancel }
}

function applied(reason: 'threshold' | 'manual' = 'threshold'): AgentEvent {
  const sizes = { tokensBefore: 900, tokensAfter: 90, evicted: 5, attempts: 1 }
  return { type: 'compaction-applied', id: 'c', reason, recordId: 'r', ...sizes }
}

describe('a turn', () => {
  it('shows what was asked, what is said, and how long it takes', async () => {
    const { screen, agent, clock, enter } = await started()
    enter('Look around')
    await screen.sees('❯ Look around')
    clock.move(12_000)
    await screen.sees('Working… 12s')
    agent.emit(step, says('I **see**'), says(' a tree.'))
    await screen.sees('I see a tree.')
    agent.end()
    await screen.losesSight('Working…')
    expect(agent.sent).toEqual(['Look around'])
  })

  it('starts with the prompt that was given', async () => {
    const { screen, agent } = await started({ prompt: 'Go' })
    await screen.sees('❯ Go')
    expect(agent.sent).toEqual(['Go'])
  })

  it('begins below what the person should know', async () => {
    const { screen } = await started({ notes: ['The project allows: write'] })
    await screen.sees('! The project allows: write')
    expect(screen.text).toContain('Palimpsest, in ')
  })

  it('folds a tool call to a line, and shows all of it at Ctrl+O', async () => {
    const { screen, agent, enter, press } = await started()
    enter('Go')
    agent.emit({ type: 'tool-call', id: '1', name: 'bash', input: { command: 'npm test' } })
    await screen.sees('○ bash npm test')
    const result = {
      type: 'tool-result',
      id: '1',
      name: 'bash',
      failed: true,
      exitCode: 1,
      milliseconds: 2_300,
    } as const
    agent.emit({ ...result, text: 'first\nDETAIL\nlast', brief: 'exit 1' })
    await screen.sees('● bash npm test · exit 1, 2.3 s')
    expect(screen.text).not.toContain('DETAIL')
    press(KEYS.ctrlO)
    await screen.sees('DETAIL')
    press(KEYS.ctrlO)
    await screen.losesSight('DETAIL')
  })

  it('shows an error and its hint in a line each, and keeps what was sent', async () => {
    const { screen, agent, enter, press } = await started()
    enter('Do it please')
    const error = new PalimpsestError('context-overflow', 'It does not fit.', { hint: 'Take a larger model.' })
    agent.end({ outcome: 'failed', error })
    await screen.sees('error: It does not fit.')
    expect(screen.lines).toContain('hint: Take a larger model.')
    press(KEYS.up)
    await screen.until('the text in the editor', ({ text }) => timesIn(text, 'Do it please') === 2)
  })

  it('ends at Ctrl+C; what waits comes back into the editor', async () => {
    const { screen, agent, enter, type, press } = await started()
    enter('One')
    enter('Two')
    await screen.sees('⧗ Two')
    type('half')
    press(KEYS.ctrlC)
    await screen.sees('Cancelled.')
    await screen.losesSight('⧗ Two')
    expect(screen.lines).toContain('half')
    expect(screen.lines).toContain('Two')
    expect(agent.sent).toEqual(['One'])
  })

  it('sends what was queued when it ends; Up takes the last one back', async () => {
    const { screen, agent, enter, press } = await started()
    enter('One')
    enter('Two')
    enter('Three')
    await screen.sees('⧗ Three')
    press(KEYS.up)
    await screen.losesSight('⧗ Three')
    agent.end()
    await screen.sees('❯ Two')
    expect(agent.sent).toEqual(['One', 'Two'])
    press(KEYS.enter)
    await screen.sees('⧗ Three')
  })

  it('goes on at a resize, without showing anything twice', async () => {
    const { screen, terminal, agent, enter } = await started()
    enter('Go')
    agent.emit(step, ...Array.from({ length: 40 }, (_, at) => says(`line MARK${at};\n\n`)))
    await screen.sees('MARK39;')
    terminal.resize(40, 12)
    agent.emit(says('END; '))
    await screen.sees('END;')
    terminal.resize(100, 30)
    await screen.sees('MARK30;')
    for (let at = 0; at < 40; at += 1) expect(timesIn(screen.whole, `MARK${at};`)).toBe(1)
  })
})

describe('a compaction by itself', () => {
  it('F2 says Compacting..., then the normal text again, and a notice for two seconds', async () => {
    const { screen, agent, clock, enter } = await started()
    enter('Go')
    agent.emit(step, compaction())
    await screen.sees('Compacting...')
    expect(screen.text).not.toContain('Working…')
    agent.emit(applied())
    await screen.sees('Context compacted automatically.')
    await screen.sees('Working…')
    clock.move(1_900)
    expect(screen.text).toContain('Context compacted automatically.')
    clock.move(200)
    await screen.losesSight('Context compacted automatically.')
    expect(screen.whole).not.toContain('Context compacted')
  })

  it('F2 lets the user type and queue', async () => {
    const { screen, agent, enter, type } = await started()
    enter('Go')
    agent.emit(step, compaction())
    enter('And then')
    await screen.sees('⧗ And then')
    expect(screen.text).toContain('Queued: sent when the context is compacted.')
    type('more')
    await screen.sees('more')
    expect(screen.text).toContain('Compacting...')
  })

  it('F2 BB-16 is cancelled by Esc alone; typed text stays, however often it is pressed', async () => {
    const { screen, agent, enter, type, press } = await started()
    let cancelled = 0
    enter('Go')
    agent.emit(
      step,
      compaction('threshold', () => {
        cancelled += 1
      }),
    )
    type('keep me')
    press(KEYS.escape)
    expect(cancelled).toBe(1)
    agent.emit({ type: 'compaction-cancelled', id: 'c', reason: 'threshold', attempts: 1 })
    press(KEYS.escape, KEYS.escape)
    await screen.sees('Compaction cancelled.')
    await screen.sees('Working…')
    expect(screen.lines).toContain('keep me')
    expect(agent.busy).toBe(true)
  })

  it('F3 F6 starts a new segment, and the meter waits', async () => {
    const { screen, agent, enter } = await started()
    enter('Go')
    agent.used = { tokens: 850, kind: 'measured' }
    agent.emit(step, says('BEFORE;'), { type: 'step-ended', step: 1, text: 'BEFORE;' })
    await screen.sees('context 85% of 1k')
    agent.used = 'waiting'
    agent.emit(step, compaction(), applied(), says('AFTER;'))
    await screen.sees('AFTER;')
    expect(screen.text).toContain('context –')
    expect([timesIn(screen.whole, 'BEFORE;'), timesIn(screen.whole, 'AFTER;')]).toEqual([1, 1])
    agent.used = { tokens: 90, kind: 'measured' }
    agent.emit({ type: 'step-ended', step: 2, text: 'AFTER;' })
    await screen.sees('context 9% of 1k')
  })
})

describe('/compact', () => {
  it('F5 streams its summary and leaves a line', async () => {
    const { screen, agent, enter } = await started()
    enter('/compact the tests')
    await screen.sees('Compacting...')
    expect(agent.compacted).toEqual(['the tests'])
    agent.emit(
      compaction('manual'),
      { type: 'summary-delta', text: 'What was' },
      { type: 'summary-delta', text: ' done' },
    )
    await screen.sees('│ What was done')
    agent.emit(applied('manual'))
    agent.endCompaction(true)
    await screen.sees('· Context compacted.')
    await screen.losesSight('Compacting...')
    expect(screen.text).not.toContain('automatically')
  })

  it('BB-17 a prompt waits for it, and is sent then', async () => {
    const { screen, agent, enter } = await started()
    enter('/compact')
    await screen.sees('Compacting...')
    enter('Next')
    await screen.sees('Queued: sent when the context is compacted.')
    expect(agent.sent).toEqual([])
    agent.endCompaction(true)
    await screen.sees('❯ Next')
    expect(agent.sent).toEqual(['Next'])
  })

  it('says when there is nothing to do, and when it does not work', async () => {
    const { screen, agent, enter } = await started()
    enter('/compact')
    await screen.sees('Compacting...')
    agent.endCompaction(false)
    await screen.sees('There is nothing to compact yet.')
    enter('Go')
    enter('/compact')
    await screen.sees('/compact works when nothing runs')
    expect(agent.compacted).toHaveLength(1)
  })
})

describe('permissions', () => {
  const command = { tool: 'bash', kind: 'command', target: 'rm -rf build && npm run build' } as const
  const write = { tool: 'write_file', kind: 'write', target: 'a.ts', preview: '@@ -1 +1 @@\n-old\n+new' } as const

  function asking({ agent }: VirtualRepl, request: typeof command | typeof write = command) {
    const abort = new AbortController()
    return { answer: agent.ask(request, { id: '1', signal: abort.signal }), abort }
  }

  it.each([
    ['y', 'once'],
    ['a', 'session'],
    ['n', { denied: '' }],
    [KEYS.escape, { denied: '' }],
  ])('%j answers', async (key, answer) => {
    const repl = await started()
    const asked = asking(repl)
    await repl.screen.sees('rm -rf build && npm run build')
    await repl.screen.sees('y yes')
    repl.press(key)
    expect(await asked.answer).toEqual(answer)
    await repl.screen.losesSight('Run this command?')
  })

  it('no may carry a reason', async () => {
    const repl = await started()
    const asked = asking(repl)
    await repl.screen.sees('y yes')
    repl.press('r')
    repl.enter('use make')
    expect(await asked.answer).toEqual({ denied: 'use make' })
  })

  it('shows what would change, and asks one after the other', async () => {
    const repl = await started()
    const first = asking(repl, write)
    const second = asking(repl)
    await repl.screen.sees('+new')
    expect(repl.screen.text).toContain('(1 more to ask)')
    expect(repl.screen.text).not.toContain('rm -rf')
    repl.press('y')
    expect(await first.answer).toBe('once')
    await repl.screen.sees('rm -rf build')
    // the same key again is no answer to what was not seen yet
    repl.press('y')
    repl.clock.move(1_000)
    await repl.screen.sees('y yes')
    repl.press('n')
    expect(await second.answer).toEqual({ denied: '' })
  })

  it('leaves keys to who is typing, and what is typed where it is', async () => {
    const repl = await started()
    repl.type('yes an')
    const asked = asking(repl)
    await repl.screen.sees('Stop typing for a moment to answer.')
    repl.type('d no')
    await repl.screen.sees('yes and no')
    repl.clock.move(1_000)
    await repl.screen.sees('y yes')
    repl.press('y')
    expect(await asked.answer).toBe('once')
    repl.type('!')
    await repl.screen.sees('yes and no!')
  })

  it('goes when the turn is cancelled', async () => {
    const repl = await started()
    const asked = asking(repl)
    asked.answer.catch(() => {})
    await repl.screen.sees('Run this command?')
    asked.abort.abort(new Error('cancelled'))
    await repl.screen.losesSight('Run this command?')
    await expect(asked.answer).rejects.toThrow('cancelled')
  })
})

describe('commands', () => {
  it('/context shows bars by source, and messages in view and in all', async () => {
    const { screen, enter } = await started()
    enter('/context')
    await screen.sees('3 messages in view, 7 in all')
    expect(screen.text).toMatch(/system {14}100 █+░+/)
    expect(screen.text).toMatch(/compacted at {8}800 █+/)
  })

  it('/cost and /help print what they know', async () => {
    const { screen, enter } = await started({ rows: 60 })
    enter('/cost')
    await screen.sees('2 calls, 1.2k in, 300 out')
    expect(screen.text).toContain('about $1.50')
    enter('/help')
    await screen.sees('/compact [focus]')
    expect(screen.text).toContain('Ctrl+O')
  })

  it('an unknown one is told with what was meant, and stays', async () => {
    const { screen, enter } = await started()
    enter('/contxt now')
    await screen.sees('Did you mean /context?')
    expect(screen.lines).toContain('/contxt now')
  })

  it('/model takes a name, or lets choose; an error is shown', async () => {
    const { screen, agent, enter, press } = await started()
    enter('/model nonsense')
    await screen.sees('error: No provider is in nonsense.')
    enter('/model test:other')
    await screen.sees('The model is test:other now.')
    enter('/model')
    await screen.sees('Go on with which model?')
    press(KEYS.down, KEYS.enter)
    await screen.losesSight('Go on with which model?')
    expect(agent.model.name).toBe('test:model')
  })

  it('/undo goes back, and gives the text back', async () => {
    const before = async (session: Session) => {
      session.appendItems([{ role: 'user', content: [{ type: 'text', text: 'OLD' }] }])
      await session.commit()
      session.appendItems([{ role: 'user', content: [{ type: 'text', text: 'WRONG' }] }])
      await session.commit()
    }
    const { screen, agent, enter, press } = await started({ before })
    const to = agent.session.place.seq - 1
    agent.points = [{ kind: 'turn', to, at: 0, label: 'WRONG', text: 'WRONG' }]
    await screen.sees('❯ WRONG')
    enter('/undo')
    await screen.sees('Go back to before what?')
    press(KEYS.enter)
    await screen.sees('Undone')
    await screen.losesSight('❯ WRONG')
    expect(screen.lines).toContain('WRONG')
    expect(screen.text).toContain('❯ OLD')
  })

  it('/fork goes on in a copy', async () => {
    const { screen, enter, said, press, code } = await started({ before: oneMessage('FORKED') })
    enter('/fork')
    await screen.sees('This is session first-fork now, a copy of first.')
    expect(screen.text).toContain('❯ FORKED')
    press(KEYS.ctrlD)
    expect(await code).toBe(exitCode.fine)
    expect(said).toEqual(['palimpsest --resume first-fork'])
  })

  it('a prompt that comes while a command runs waits for it, and goes where it led', async () => {
    const { screen, enter, agent, sessions } = await started({ before: oneMessage('FORKED') })
    enter('/fork')
    enter('Next')
    await screen.sees('❯ Next')
    expect(agent.sent).toEqual([])
    expect((await sessions.list()).map(({ id }) => id).sort()).toEqual(['first', 'first-fork'])
  })

  it('F7 /resume shows all that the other session has shown', async () => {
    const sessions = memorySessions().open('test')
    const other = await Session.create(sessions, 'other', { dialect, title: 'About trees' })
    await oneMessage('ASKED')(other)
    other.add({ type: 'display-segment', role: 'assistant', text: 'SAID;' })
    other.add({ type: 'display-segment', role: 'notice', text: 'Context compacted.' })
    await other.commit()
    const { screen, enter, press } = await started({ sessions })
    enter('/resume')
    await screen.sees('About trees')
    expect(screen.text).toContain('1 message')
    press(KEYS.enter)
    await screen.sees('❯ ASKED')
    expect(screen.text).toMatch(/ASKED[\s\S]*SAID;[\s\S]*Context compacted\./)
  })

  it('/resume names a session without a title by what was said first in it', async () => {
    const sessions = memorySessions().open('test')
    await oneMessage('What of\nthe trees?')(await Session.create(sessions, 'other', { dialect }))
    const { screen, enter } = await started({ sessions })
    enter('/resume')
    await screen.sees('What of the trees?')
  })
})

function oneMessage(text: string) {
  return async (session: Session): Promise<void> => {
    session.appendItems([{ role: 'user', content: [{ type: 'text', text }] }])
    await session.commit()
  }
}

describe('the editor', () => {
  it('takes a long paste as a marker, and sends all of it', async () => {
    const { screen, agent, press } = await started()
    const pasted = Array.from({ length: 200 }, (_, at) => `row ${at}`).join('\n')
    press(`\u001b[200~${pasted}\u001b[201~`)
    await screen.sees('[paste #1 +200 lines]')
    press(KEYS.enter)
    await screen.sees('more lines (Ctrl+O)')
    expect(agent.sent).toEqual([pasted])
  })

  it('completes commands, and paths behind an @', async () => {
    const { screen, type, press } = await started()
    type('/comp')
    await screen.sees('summarise what is old')
    press(KEYS.tab)
    await screen.until('/compact', ({ lines }) => lines.includes('/compact'))
    press(KEYS.ctrlC)
    type('see @conversation.te')
    await screen.sees('conversation.test.ts')
    press(KEYS.tab)
    await screen.sees('see @conversation.test.ts')
  })
})

describe('what a model or tool says', () => {
  it('cannot steer the terminal', async () => {
    const { screen, agent, enter } = await started()
    enter('Go')
    agent.emit(step, says('A\u001b[2J\u001b]0;title\u0007B \u202eC'))
    agent.emit({ type: 'tool-call', id: '1', name: 'bash', input: { command: 'echo \u001b[31m\r\nx' } })
    agent.emit({ type: 'warning', message: 'W\u001b[H' })
    await screen.sees('W␛[H')
    expect(screen.text).toContain('A␛[2J␛]0;title␇B')
    expect(screen.written).not.toContain('\u001b]0;')
    expect(screen.written).not.toContain('\u202e')
  })

  it.each([20, 40, 80])('fits a terminal of %i columns, in any script', async (columns) => {
    const { screen, agent, enter } = await started({ columns })
    enter('你好世界 👩‍👩‍👧‍👦 naïve')
    agent.emit(
      step,
      says('漢字かな交じり文の長い行です。😀😀😀😀😀😀😀😀😀😀 end\n\n| a | b |\n|---|---|\n| 漢字 | 😀 |\n'),
    )
    agent.emit(says('```\n'), says(`${'x'.repeat(200)}\n`), says('```\n'))
    agent.emit({ type: 'tool-call', id: '1', name: 'read_file', input: { path: '漢字'.repeat(50) } })
    await screen.sees('○ read_file')
    expect(timesIn(screen.whole.replaceAll('\n', ''), 'x')).toBeGreaterThanOrEqual(200)
  })
})

describe('colours', () => {
  it.each([
    [false, false],
    [true, true],
  ])('asked for: %s, there: %s', async (color, painted) => {
    const { screen, agent, enter } = await started({ color })
    enter('Go')
    agent.emit(step, says('# Title\n\n`code` **bold** [link](https://x.test)\n\n> quote'), {
      type: 'warning',
      message: 'W',
    })
    await screen.sees('quote')
    expect(screen.painted).toBe(painted)
  })
})

it('Ctrl+Z gives the terminal back, and shows all again', async () => {
  const { screen, enter, press, terminal } = await started()
  enter('MARK;')
  await screen.sees('❯ MARK;')
  const before = timesIn(screen.written, 'MARK;')
  press('\u001a')
  await screen.until('it anew', ({ written }) => timesIn(written, 'MARK;') > before)
  expect(terminal.running).toBe(true)
  expect(timesIn(screen.whole, 'MARK;')).toBe(1)
})

describe('leaving', () => {
  it('Ctrl+C keeps what is typed and says so; the next one leaves', async () => {
    const { screen, type, press, code, terminal, said } = await started({ before: oneMessage('A') })
    type('draft')
    press(KEYS.ctrlC)
    await screen.sees('Ctrl+C again leaves.')
    press(KEYS.up)
    await screen.until('the draft', ({ lines }) => lines.includes('draft'))
    press(KEYS.ctrlC, KEYS.ctrlC)
    expect(await code).toBe(exitCode.fine)
    expect([terminal.running, terminal.cursorShown]).toEqual([false, true])
    expect(said).toEqual(['palimpsest --resume first'])
  })

  it('/exit ends what runs and tells what was not sent', async () => {
    const repl = await started()
    repl.enter('Go')
    repl.enter('waits')
    await repl.screen.sees('⧗ waits')
    repl.enter('/exit')
    expect(await repl.code).toBe(exitCode.fine)
    expect(repl.agent.busy).toBe(false)
    expect(repl.said).toEqual(['not sent: waits'])
    expect(repl.closed).toBe(1)
  })

  it.each(['signal', 'input-closed'] as const)('%s', async (how) => {
    const repl = await started()
    repl.enter('/resume')
    repl.ends.ended(how)
    expect(await repl.code).toBe(how === 'signal' ? exitCode.interrupted : exitCode.fine)
    expect([repl.terminal.running, repl.terminal.cursorShown, repl.closed]).toEqual([false, true, 1])
  })

  it('a fault leaves a clean terminal and goes on to the caller', async () => {
    const repl = await started()
    repl.enter('Go')
    await repl.screen.sees('Working…')
    repl.agent.break(new TypeError('ours'))
    await expect(repl.code).rejects.toThrow('ours')
    expect([repl.terminal.running, repl.terminal.cursorShown, repl.closed]).toEqual([false, true, 1])
  })
})
