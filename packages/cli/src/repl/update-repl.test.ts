import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { screenNotation } from './repl-screen.test-data.ts'
import { emptyScreen, type ReplScreen } from './repl-screen.ts'
import { type ReplAction, type ReplEffect, updateRepl } from './update-repl.ts'

const busy: ReplScreen = { ...emptyScreen, work: { kind: 'turn', since: 0 } }
const submit = (text: string, at = 0): ReplAction => ({ type: 'submitted', text, at })
const AWAY = new PalimpsestError('effect-failed', 'The provider is away.', { hint: 'Try again.' })
const over = (outcome: 'answered' | 'cancelled' | 'failed', typed = ''): ReplAction => ({
  type: 'ended',
  end: outcome === 'failed' ? { outcome, error: AWAY } : { outcome },
  typed,
  at: 0,
})

/** All actions, one after the other: the last screen, and every effect. */
function after(screen: ReplScreen, ...actions: readonly ReplAction[]) {
  const effects: ReplEffect[] = []
  for (const action of actions) {
    const update = updateRepl(screen, action)
    screen = update.screen
    effects.push(...update.effects)
  }
  return { screen, effects }
}

describe('a prompt', () => {
  it('is sent when nothing runs', () => {
    const { screen, effects } = after(emptyScreen, submit('Hello', 7))
    expect(effects).toEqual([
      { type: 'remember', text: 'Hello' },
      { type: 'send', text: 'Hello' },
    ])
    expect(screen.work).toEqual({ kind: 'turn', since: 7 })
    expect(screenNotation(screen)).toBe('user:Hello')
  })

  it('waits while a turn runs, and is sent when it ends, one after the other', () => {
    const waiting = after(busy, submit('one'), submit('two'))
    expect(waiting.screen.queue).toEqual(['one', 'two'])
    const first = after(waiting.screen, over('answered'))
    expect(first.effects).toEqual([{ type: 'send', text: 'one' }])
    expect(first.screen.queue).toEqual(['two'])
    expect(after(first.screen, over('answered')).effects).toEqual([{ type: 'send', text: 'two' }])
  })

  it('BB-17 while the context is compacted is queued with one message', () => {
    const compacting = { ...busy, work: { kind: 'compact', since: 0 } } as const
    const { screen, effects } = after(compacting, submit('Hello'))
    expect(screen.notice?.text).toBe('Queued: sent when the context is compacted.')
    expect(effects).toEqual([{ type: 'remember', text: 'Hello' }])
    expect(screen.queue).toEqual(['Hello'])
  })

  it('that waits can be taken back before what is typed', () => {
    const { screen, effects } = after({ ...busy, queue: ['one', 'two'] }, { type: 'take-queued', typed: 'three' })
    expect(effects).toEqual([{ type: 'edit', text: 'two\n\nthree' }])
    expect(screen.queue).toEqual(['one'])
  })

  it('comes back into the editor when the turn before it fails', () => {
    const { screen, effects } = after({ ...busy, queue: ['one'] }, over('failed', 'two'))
    expect(effects).toEqual([{ type: 'edit', text: 'one\n\ntwo' }])
    expect(screen.segments).toEqual([{ kind: 'error', message: 'The provider is away.', hint: 'Try again.' }])
  })
})

describe('a command', () => {
  it.each(['compact', 'undo', 'fork', 'resume', 'model'])('BB-17 /%s is refused while a turn runs', (name) => {
    const { screen, effects } = after(busy, submit(`/${name} x`))
    expect(effects).toEqual([{ type: 'remember', text: `/${name} x` }])
    expect(screen.notice?.text).toBe(`/${name} works when nothing runs: wait, or press Ctrl+C first.`)
    expect(screen.queue).toEqual([])
  })

  it.each(['help', 'context', 'cost', 'exit'])('/%s works while a turn runs', (name) => {
    expect(after(busy, submit(`/${name}`)).effects).toContainEqual({ type: 'command', name, argument: '' })
  })

  it('that there is none of stays in the editor', () => {
    const { screen, effects } = after(emptyScreen, submit('/compcat it'))
    expect(effects).toEqual([{ type: 'edit', text: '/compcat it' }])
    expect(screen.notice?.text).toBe('There is no /compcat. Did you mean /compact?')
  })
})

describe('Esc', () => {
  it('F2 cancels the compaction alone', () => {
    let cancelled = 0
    const cancel = () => {
      cancelled += 1
    }
    const compaction = { id: 'c', cancel }
    const { screen, effects } = after({ ...busy, work: { kind: 'turn', since: 0, compaction } }, { type: 'escape' })
    for (const effect of effects) if (effect.type === 'cancel-compaction') effect.cancel()
    expect(cancelled).toBe(1)
    expect(screen.work).not.toHaveProperty('ending')
  })

  it('does nothing to a turn', () => {
    expect(after(busy, { type: 'escape' }, { type: 'escape' })).toEqual({ screen: busy, effects: [] })
  })

  it('of a compaction by hand lets what waits be sent', () => {
    const compacting: ReplScreen = { ...emptyScreen, work: { kind: 'compact', since: 0 }, queue: ['one'] }
    const { effects } = after(compacting, { type: 'escape' }, over('cancelled'))
    expect(effects).toEqual([{ type: 'cancel-work' }, { type: 'send', text: 'one' }])
  })
})

describe('Ctrl+C', () => {
  const ctrlC = (typed = ''): ReplAction => ({ type: 'ctrl-c', typed })

  it('ends the turn, and gives back what waits', () => {
    const { screen, effects } = after({ ...busy, queue: ['one'] }, ctrlC('two'))
    expect(effects).toEqual([{ type: 'cancel-work' }, { type: 'edit', text: 'one\n\ntwo' }])
    expect(screen.queue).toEqual([])
  })

  it('clears the line, which Up brings back, and leaves at the next', () => {
    const { screen, effects } = after(emptyScreen, ctrlC('half a'))
    expect(effects).toEqual([
      { type: 'remember', text: 'half a' },
      { type: 'edit', text: '' },
    ])
    expect(screen.leaving).toBe(true)
    expect(after(screen, ctrlC()).effects).toEqual([{ type: 'leave' }])
    expect(after(screen, { type: 'typing' }, ctrlC()).effects).toEqual([])
  })

  it('leaves when what runs does not end', () => {
    expect(after(busy, ctrlC(), ctrlC(), ctrlC()).effects.at(-1)).toEqual({ type: 'leave' })
  })
})

describe('Ctrl+D', () => {
  it.each<[string, ReplScreen, string, readonly ReplEffect[]]>([
    ['leaves on an empty line', emptyScreen, '', [{ type: 'leave' }]],
    ['leaves nothing with a text', emptyScreen, 'x', []],
    ['does not end a turn', busy, '', []],
  ])('%s', (_name, screen, typed, effects) => {
    expect(after(screen, { type: 'ctrl-d', typed, at: 0 }).effects).toEqual(effects)
  })
})

describe('time', () => {
  it('F2 takes a notice away when it is over', () => {
    const noticed = after(emptyScreen, { type: 'noticed', text: 'N', at: 1_000 }).screen
    expect(after(noticed, { type: 'ticked', at: 2_999 }).screen.notice?.text).toBe('N')
    expect(after(noticed, { type: 'ticked', at: 3_000 }).screen.notice).toBeUndefined()
  })
})

describe('the meter', () => {
  it('F6 of before a compaction is not shown after it', () => {
    const meter = { trigger: 5, used: 'waiting', sources: {} as never, messages: { inView: 1, all: 1 } } as const
    const screen = { ...emptyScreen, meterEpoch: 2 }
    expect(after(screen, { type: 'measured', epoch: 1, meter }).screen.meter).toBeUndefined()
    expect(after(screen, { type: 'measured', epoch: 2, meter }).screen.meter).toBe(meter)
  })
})

/** A person at the keyboard: what is typed goes into an editor that effects change too. */
class Person {
  screen: ReplScreen = emptyScreen
  editor = ''
  readonly sent: string[] = []
  readonly remembered: string[] = []

  do(action: ReplAction): void {
    const { screen, effects } = updateRepl(this.screen, action)
    this.screen = screen
    for (const effect of effects) {
      if (effect.type === 'send') this.sent.push(effect.text)
      if (effect.type === 'edit') this.editor = effect.text
      if (effect.type === 'remember') this.remembered.push(effect.text)
    }
  }

  submit(): void {
    const text = this.editor
    this.editor = ''
    this.do(submit(text))
  }

  get everything(): string {
    return [this.editor, ...this.sent, ...this.screen.queue, ...this.remembered].join('\n')
  }
}

it('no text is ever lost, whatever keys are pressed and however turns end', () => {
  const keys = fc.array(
    fc.constantFrom(
      'word',
      'command',
      'wrong',
      'enter',
      'esc',
      'ctrl-c',
      'ctrl-d',
      'up',
      'answered',
      'cancelled',
      'failed',
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(keys, (all) => {
      const person = new Person()
      const typed: string[] = []
      all.forEach((key, at) => {
        const word = `w${at};`
        if (key === 'word' || key === 'command' || key === 'wrong') {
          const start = person.editor === '' && key !== 'word' ? `/${key === 'command' ? 'compact' : 'compcat'} ` : ''
          person.editor += `${start}${word}`
          typed.push(word)
        } else if (key === 'enter') person.submit()
        else if (key === 'esc') person.do({ type: 'escape' })
        else if (key === 'ctrl-c') person.do({ type: 'ctrl-c', typed: person.editor })
        else if (key === 'ctrl-d') person.do({ type: 'ctrl-d', typed: person.editor, at: 0 })
        else if (key === 'up') person.do({ type: 'take-queued', typed: person.editor })
        else if (person.screen.work !== undefined) person.do(over(key as 'answered', person.editor))
      })
      for (const word of typed) expect(person.everything).toContain(word)
      const unsent = [person.editor, ...person.screen.queue].join('\n')
      for (const word of typed) expect(unsent.split(word).length - 1).toBeLessThanOrEqual(1)
    }),
  )
})
