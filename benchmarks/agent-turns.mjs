// Turns of an agent that are made up: a user asks, the model calls tools three times and answers. Sizes of items are those of
// recorded sessions of Claude Code and pi (3,357 items, 1.9 kB on average), texts are words in no order, so that they compress
// about as code does. The same turn as entries of a session log, and as messages of LangChain.

export const CALLS_PER_TURN = 3
/** Begin, question, (usage, call, begun, done, result) a call, usage, answer, end. */
export const ENTRIES_PER_TURN = 5 + 5 * CALLS_PER_TURN
export const MESSAGES_PER_TURN = 2 + 2 * CALLS_PER_TURN

/** Characters, taken in turn: tenths of what was recorded. */
const RESULTS = [150, 400, 400, 900, 1_800, 4_200, 8_000]
const ANSWERS = [250, 500, 800, 800, 1_500, 3_400]

/** What happens in the turn of this number, from 1 on. */
export function agentTurn(number) {
  const calls = Array.from({ length: CALLS_PER_TURN }, (_, n) => {
    const nth = number * CALLS_PER_TURN + n
    return {
      id: `toolu_${String(nth).padStart(8, '0')}`,
      name: 'Read',
      input: { file_path: `src/part-${nth}.ts` },
      said: words(nth, ANSWERS[nth % ANSWERS.length]),
      result: words(nth + 7, RESULTS[nth % RESULTS.length]),
    }
  })
  return { question: words(number, 300), calls, answer: words(number + 3, ANSWERS[number % ANSWERS.length]) }
}

/** The entries of a turn, in the groups in which an agent would store them: before a tool runs, and after it did. */
export function entryGroups({ question, calls, answer }, length) {
  let position = length
  const message = (item) => ({ type: 'message-appended', position: position++, item })
  const groups = [[{ type: 'turn-started' }, message({ role: 'user', content: question })]]
  for (const { id, name, input, said, result } of calls) {
    const content = [
      { type: 'text', text: said },
      { type: 'tool_use', id, name, input },
    ]
    const asked = [USAGE, message({ role: 'assistant', content }), requested(id, name)]
    const results = [{ type: 'tool_result', tool_use_id: id, content: result }]
    groups.push(asked, [completed(id), message({ role: 'user', content: results })])
  }
  groups.push([USAGE, message({ role: 'assistant', content: answer }), { type: 'turn-ended', outcome: 'answered' }])
  return groups
}

const USAGE = {
  type: 'usage-recorded',
  purpose: 'chat',
  usage: { input: 90_123, cacheRead: 88_000, cacheWrite: 2_000, output: 456 },
  model: 'claude-opus-4-5',
}

function requested(action, name) {
  return { type: 'action-requested', action, kind: 'tool', name }
}

function completed(action) {
  return { type: 'action-completed', action, status: 'ok' }
}

const WORDS =
  'export const function return import from type readonly string number await async if else for of new throw error index value session entry store result message length plan this => { } ( ) [ ] = === ; // the is of what where not'.split(
    ' ',
  )

/** Words in an order that the seed gives: the same each time. */
export function words(seed, characters) {
  let state = (seed * 2_654_435_761) >>> 0
  let text = ''
  while (text.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // a name of its own here and there, as code has them
    text += `${WORDS[(state >>> 8) % WORDS.length]}${state % 5 === 0 ? (state >>> 4).toString(36) : ''} `
  }
  return text.slice(0, characters)
}
