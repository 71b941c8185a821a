import type { Reply } from '@palimpsest/wirelab'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildCommand } from '../built-command.test-data.ts'
import { calls, Gate, prose, replBenches, says } from './repl.test-data.ts'
import { timesIn } from './screen-reader.test-data.ts'
import { KEYS } from './virtual-repl.test-data.ts'

beforeAll(buildCommand)
const bench = replBenches()

/**
 * A first turn that half fills the window, and a second one that is compacted in its middle: between `BEFORE;`, with the call
 * whose result is too much, and `AFTER;`. The simulator holds the summary until the gate opens.
 */
async function compactedInTheMiddle(rest: readonly Reply[] = []) {
  const summary = new Gate()
  const made = await bench({
    files: { 'big.txt': prose(1_500, 'big') },
    script: [
      says(`FIRST; ${prose(1_500, 'first')}`),
      calls('read_file', { path: 'big.txt' }, 'BEFORE;'),
      says('AFTER;'),
      ...rest,
    ],
    summarizer: () => summary.pass(says('The user said hello, and the model told of many items.')),
  })
  const repl = await made.start(['--trigger-frac', '0.4'])
  const { screen } = repl
  await repl.enter('Say hello')
  await screen.sees('first line 186')
  await screen.losesSight('Working…')
  await repl.enter('Read it')
  await summary.reached
  await screen.sees('Compacting...')
  return { ...made, repl, screen, summary }
}

describe('a compaction by itself', () => {
  it('F2 says Compacting..., then the normal text again; its notice expires and is not replayed', async () => {
    const { repl, screen, summary, start } = await compactedInTheMiddle()
    expect(screen.text).not.toContain('Working…')
    summary.open()
    await screen.sees('Context compacted automatically.')
    await screen.sees('AFTER;')
    await screen.losesSight('Context compacted automatically.')
    repl.press(KEYS.ctrlD)
    expect((await repl.over).code).toBe(0)
    const again = await start(['--resume'])
    await again.screen.sees('AFTER;')
    expect(again.screen.whole).not.toContain('ompacted')
  })

  it('F3 nothing is shown twice or lost, then and when the session is resumed (F7)', async () => {
    const { repl, screen, summary, start, lab } = await compactedInTheMiddle()
    summary.open()
    await screen.sees('AFTER;')
    await screen.losesSight('Working…')
    const words = ['Say hello', 'FIRST;', 'first line 0 ', 'first line 186 ', 'Read it', 'BEFORE;', 'AFTER;']
    const seen = (whole: string) => words.map((word) => timesIn(whole, word))
    expect(seen(screen.whole)).toEqual(words.map(() => 1))
    expect(screen.whole).not.toContain('told of many items')
    expect(JSON.stringify(lab.calls.at(-1)?.body)).not.toContain('first line 0 ')
    repl.press(KEYS.ctrlD)
    await repl.over
    const again = await start(['--resume'])
    await again.screen.sees('AFTER;')
    expect(seen(again.screen.whole)).toEqual(words.map(() => 1))
    const order = words.map((word) => again.screen.whole.indexOf(word))
    expect(order).toEqual([...order].sort((one, other) => one - other))
    expect(again.screen.whole).toContain('● read_file big.txt')
  })

  it('F2 BB-16 Esc ends it alone; the turn goes on, and typed text stays', async () => {
    const { repl, screen, summary, lab } = await compactedInTheMiddle()
    await repl.type('keep this')
    repl.press(KEYS.escape)
    await screen.sees('Compaction cancelled.')
    repl.press(KEYS.escape)
    await screen.sees('AFTER;')
    await screen.losesSight('Working…')
    expect(screen.lines).toContain('keep this')
    expect(JSON.stringify(lab.calls.at(-1)?.body)).toContain('first line 0 ')
    summary.open()
  })

  it('F2 the user types and queues meanwhile; what waits is sent when the turn ends', async () => {
    const { repl, screen, summary, lab } = await compactedInTheMiddle([says('SECOND;'), says('THIRD;')])
    await repl.enter('one more')
    await screen.sees('⧗ one more')
    expect(screen.text).toContain('Queued: sent when the context is compacted.')
    await repl.enter('and another')
    await repl.type('half a')
    expect(screen.text).toContain('Compacting...')
    summary.open()
    await screen.sees('THIRD;')
    const whole = screen.whole
    const order = ['AFTER;', '❯ one more', 'SECOND;', '❯ and another', 'THIRD;'].map((word) => whole.indexOf(word))
    expect(order).toEqual([...order].sort((one, other) => one - other))
    expect(order[0]).toBeGreaterThan(0)
    expect(screen.lines).toContain('half a')
    expect(lab.calls.filter(({ purpose }) => purpose === 'main')).toHaveLength(5)
  })

  it('F2 Ctrl+C ends the whole turn; what waited comes back into the editor', async () => {
    const { repl, screen, summary } = await compactedInTheMiddle([says('GOES ON;')])
    await repl.enter('one more')
    await screen.sees('⧗ one more')
    repl.press(KEYS.ctrlC)
    await screen.sees('Cancelled.')
    await screen.losesSight('Compacting...')
    expect(screen.text).not.toContain('AFTER;')
    expect(screen.lines).toContain('one more')
    summary.open()
  })
})

describe('a turn', () => {
  it('Ctrl+C ends it; the next one works', async () => {
    const held = new Gate()
    const { start } = await bench({
      script: ({ answered }) => (answered === 0 ? held.pass(says('LATE;')) : says('NEXT;')),
    })
    const repl = await start()
    await repl.enter('Wait for it')
    await held.reached
    await repl.screen.sees('Working…')
    repl.press(KEYS.ctrlC)
    await repl.screen.sees('Cancelled.')
    held.open()
    await repl.enter('And now')
    await repl.screen.sees('NEXT;')
    expect(repl.screen.whole).not.toContain('LATE;')
  })

  it('goes on at a resize in the middle of an answer', async () => {
    const text = Array.from({ length: 60 }, (_, at) => `MARK${at};`).join('\n\n')
    const { start } = await bench({ script: [says(text), says(text.replaceAll('MARK', 'NEXT'))] })
    const repl = await start()
    await repl.enter('Tell')
    await repl.screen.sees('MARK59;')
    repl.resize(40, 12)
    await repl.enter('More')
    await repl.screen.sees('NEXT59;')
    repl.resize(100, 30)
    await repl.screen.until('the wide screen', ({ lines }) => lines.some((line) => line === '─'.repeat(100)))
    for (let at = 0; at < 60; at += 1)
      expect([timesIn(repl.screen.whole, `MARK${at};`), timesIn(repl.screen.whole, `NEXT${at};`)]).toEqual([1, 1])
  })

  it('keeps what a broken answer had shown, at any width, and tells of the error', async () => {
    const { start } = await bench({
      script: () => says(`PARTIAL; ${'word '.repeat(400)}`),
      faults: [{ kind: 'stall', when: 'mid-stream' }],
    })
    const repl = await start()
    await repl.enter('Tell')
    await repl.screen.sees('PARTIAL;')
    repl.resize(40, 20)
    repl.resize(60, 20)
    await repl.screen.until('the new width', ({ lines }) => lines.some((line) => line === '─'.repeat(60)))
    expect(timesIn(repl.screen.whole, 'PARTIAL;')).toBe(1)
    repl.press(KEYS.ctrlC)
    await repl.screen.sees('Cancelled.')
    expect(timesIn(repl.screen.whole, 'PARTIAL;')).toBe(1)
  })

  it('that fails says why in red, and Up brings back what was sent', async () => {
    const { start } = await bench({ faults: [{ kind: 'overflow', when: 'before-first-byte', times: 9 }] })
    const repl = await start()
    await repl.enter('Do it please')
    await repl.screen.sees('error: ')
    repl.press(KEYS.up)
    await repl.screen.until('it in the editor', ({ lines }) => lines.includes('Do it please'))
  })

  it('asks for permission: yes, for the session, no', async () => {
    const script = [
      calls('bash', { command: 'echo once' }),
      calls('bash', { command: 'echo twice' }),
      calls('bash', { command: 'echo twice' }),
      calls('write_file', { path: 'new.txt', content: 'ADDED LINE\n' }),
      says('All done.'),
    ]
    const { start } = await bench({ script, files: { 'a.txt': 'x' } })
    const repl = await start()
    await repl.enter('Work')
    await repl.screen.sees('echo once')
    await repl.screen.sees('y yes')
    repl.press('y')
    await repl.screen.sees('● bash echo once')
    await repl.screen.until(
      'the second question',
      ({ text }) => text.includes('  echo twice') && text.includes('y yes'),
    )
    repl.press('a')
    await repl.screen.sees('ADDED LINE')
    await repl.screen.sees('y yes')
    expect(timesIn(repl.screen.whole, '● bash echo twice')).toBe(2)
    repl.press('n')
    await repl.screen.sees('All done.')
    expect(repl.screen.text).toMatch(/● write_file new\.txt · /)
  })
})

describe('/compact', () => {
  it('F5 streams its summary and leaves a line, which is replayed (F7); the meter waits (F6)', async () => {
    const summary = new Gate()
    const held = new Gate()
    const { start, lab } = await bench({
      script: ({ answered }) => (answered === 0 ? says(`FIRST; ${prose(2_000, 'first')}`) : held.pass(says('NEXT;'))),
      summarizer: () => summary.pass(says(`SUMMARY; ${prose(200, 'told')}`)),
    })
    const repl = await start()
    await repl.enter('Say hello')
    await repl.screen.until('the meter', ({ text }) => /context ~?\d+%/.test(text) && text.includes('line 249'))
    await repl.enter('/compact the items')
    await summary.reached
    await repl.screen.sees('Compacting...')
    await repl.enter('go on')
    await repl.screen.sees('Queued: sent when the context is compacted.')
    summary.open()
    await repl.screen.sees('Context compacted.')
    await held.reached
    await repl.screen.sees('context –')
    expect(repl.screen.whole).toContain('SUMMARY;')
    expect(repl.screen.whole).not.toContain('automatically')
    expect(JSON.stringify(lab.calls.find(({ purpose }) => purpose === 'summary')?.body)).toContain('the items')
    held.open()
    await repl.screen.sees('NEXT;')
    await repl.screen.until('the meter', ({ text }) => /context ~?\d+%/.test(text))
    repl.press(KEYS.ctrlD)
    await repl.over
    const again = await start(['--resume'])
    await again.screen.sees('NEXT;')
    expect(timesIn(again.screen.whole, 'Context compacted.')).toBe(1)
  })

  it('BB-17 is refused while a turn runs, with one line', async () => {
    const held = new Gate()
    const { start, lab } = await bench({ script: () => held.pass(says('Done.')) })
    const repl = await start()
    await repl.enter('Work')
    await held.reached
    await repl.enter('/compact')
    await repl.screen.sees('/compact works when nothing runs')
    held.open()
    await repl.screen.sees('Done.')
    expect(lab.calls.filter(({ purpose }) => purpose === 'summary')).toEqual([])
  })
})

describe('the editor', () => {
  it('takes 200 pasted lines as a marker, and sends all of them', async () => {
    const { start, lab } = await bench()
    const repl = await start()
    const pasted = Array.from({ length: 200 }, (_, at) => `row ${at};`).join('\n')
    repl.press(`\u001b[200~${pasted}\u001b[201~`)
    await repl.screen.sees('[paste #1 +200 lines]')
    repl.press(KEYS.enter)
    await repl.screen.sees('Done.')
    expect(JSON.stringify(lab.calls[0]?.body)).toContain('row 0;\\nrow 1;')
    expect(JSON.stringify(lab.calls[0]?.body)).toContain('row 199;')
  })

  it('Esc twice keeps what is typed', async () => {
    const { start } = await bench()
    const repl = await start()
    await repl.type('a draft')
    repl.press(KEYS.escape, KEYS.escape)
    await repl.type('!')
    await repl.screen.sees('a draft!')
  })
})

describe('commands', () => {
  it('/help, /context, /cost and /model print what they know', async () => {
    const { start } = await bench()
    const repl = await start([], { rows: 60 })
    await repl.enter('Hello')
    await repl.screen.sees('Done.')
    await repl.enter('/help')
    await repl.screen.sees('/compact [focus]')
    await repl.enter('/context')
    await repl.screen.sees('2 messages in view, 2 in all')
    await repl.enter('/cost')
    await repl.screen.sees('1 call, ')
    await repl.enter('/model nowhere:x')
    await repl.screen.sees('error: ')
    await repl.enter('/model anthropic:other-model')
    await repl.screen.sees('The model is anthropic:other-model now.')
    await repl.screen.sees('· anthropic:other-model ·')
    await repl.enter('/modle')
    await repl.screen.sees('Did you mean /model?')
  })

  it('/undo goes back to before a turn, /fork goes on in a copy, /resume in another session', async () => {
    const { start } = await bench({ script: [says('FIRST;'), says('WRONG;'), says('RIGHT;')] })
    const repl = await start()
    const { screen } = repl
    await repl.enter('one')
    await screen.sees('FIRST;')
    await repl.enter('two')
    await screen.sees('WRONG;')
    await screen.losesSight('Working…')
    await repl.enter('/undo')
    await screen.sees('Go back to before what?')
    repl.press(KEYS.enter)
    await screen.losesSight('WRONG;')
    await screen.until('its text in the editor', ({ lines }) => lines.includes('two'))
    repl.press(KEYS.enter)
    await screen.sees('RIGHT;')
    await screen.losesSight('Working…')
    await repl.enter('/fork')
    // not the words beside the command while it is typed: those are there before it has run
    await screen.sees('now, a copy of')
    expect(screen.text).toContain('RIGHT;')
    await repl.enter('/resume')
    await screen.sees('Go on with which session?')
    repl.press(KEYS.enter)
    await screen.sees('goes on.')
    expect(screen.whole).toContain('FIRST;')
  })
})
