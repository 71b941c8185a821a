import { describe, expect, it } from 'vitest'
import { judgeSummary, type SummaryBasis } from './acceptance.ts'

/** One character is one token. */
const BASIS: SummaryBasis = { estimate: (text) => text.length, replaced: 10_000, budget: 1_000, read: [] }

function reasonOf(text: string, basis: Partial<SummaryBasis> = {}): string {
  const judged = judgeSummary({ text, finish: 'stop' }, { ...BASIS, ...basis })
  return judged.accepted ? 'accepted' : judged.rejection.reason
}

const words = (characters: number) =>
  'word '
    .repeat(characters)
    .slice(0, characters - 1)
    .concat('.')

describe('judgeSummary', () => {
  it('takes up to a quarter more than the budget, and nothing that is no smaller than what it replaces', () => {
    expect(reasonOf(words(1_250))).toBe('accepted')
    expect(reasonOf(words(1_251))).toBe('too-long')
    expect(reasonOf(words(999), { replaced: 1_000 })).toBe('accepted')
    expect(reasonOf(words(1_000), { replaced: 1_000 })).toBe('not-smaller')
  })

  it('asks for more words, the more they stand for', () => {
    expect(reasonOf(words(39), { replaced: 100_000 })).toBe('too-short')
    expect(reasonOf(words(40), { replaced: 100_000 })).toBe('accepted')
    expect(reasonOf(words(9), { replaced: 5_000 })).toBe('too-short')
    expect(reasonOf(words(10), { replaced: 5_000 })).toBe('accepted')
    expect(reasonOf(words(5), { replaced: 100_000, budget: 20 })).toBe('accepted')
  })

  it('refuses every text against numbers that are none', () => {
    expect(reasonOf(words(100), { replaced: Number.NaN })).not.toBe('accepted')
    expect(reasonOf(words(100), { estimate: () => Number.NaN })).not.toBe('accepted')
  })

  it('tells quoting from copying', () => {
    const lines = Array.from({ length: 10 }, (_, at) => `line ${at} of the log says ${'many things '.repeat(8)}`.trim())
    const read = [`before\n${lines.join('\n')}\nafter`]
    const own = Array.from(
      { length: 10 },
      (_, at) => `${at}: what it means is told here in words that stand nowhere else`,
    )
    expect(reasonOf([...lines.slice(0, 4), ...own].join('\n'), { read })).toBe('accepted')
    expect(reasonOf([...lines.slice(0, 7), own[0]].join('\n'), { read })).toBe('repeats-input')
    expect(reasonOf(lines.slice(2, 5).join('\n'), { read })).toBe('repeats-input')
  })

  it('takes the last reply for a copy in other white space and with a few words around it', () => {
    const lastReply = 'I looked at the salt and found that it is read too late,\nso that the first check always fails.'
    expect(reasonOf(lastReply.replace('\n', ' '), { lastReply })).toBe('repeats-input')
    expect(reasonOf(`Summary: ${lastReply} That is all.`, { lastReply })).toBe('repeats-input')
    expect(reasonOf(`${words(300)} ${lastReply}`, { lastReply })).toBe('accepted')
    expect(reasonOf('Done.', { lastReply: 'Done.', replaced: 100 })).toBe('repeats-input')
  })

  it.each([
    ["I can't assist with that.", 'refusal'],
    ['I’m sorry, but I cannot summarize this conversation.', 'refusal'],
    ['As an AI language model, I am unable to process this transcript.', 'refusal'],
    ['I cannot help with that request.', 'refusal'],
    ['No transcript was provided.', 'nothing-said'],
    ['The conversation appears to be empty.', 'nothing-said'],
    ['It seems no messages were included. Could you share the transcript?', 'nothing-said'],
    ['The user asked why he cannot log in; no messages of the queue were lost. Next: read the log.', 'accepted'],
    ['The agent is sorry for the delay and reads the file again, because the first read was cut.', 'accepted'],
  ])('%s: %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })

  it('lone halves of pairs do not get into a view, and a thousand thoughts in a row are one', () => {
    const judged = judgeSummary(
      { text: `${'<think>a</think>'.repeat(20_000)}${words(50)}\ud83d`, finish: 'stop' },
      BASIS,
    )
    expect(judged).toEqual({ accepted: true, text: `${words(50)}\ufffd` })
  })
})
