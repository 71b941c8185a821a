// What it costs to prepare the next request of a session that is already known, as the session grows.
import { anthropicMessages, dialectMeter, LiveView, Transcript, tokensOf } from 'palimpsest'

const SIZES = [1_000, 10_000, 100_000]
const STEPS = 300
const ROUNDS = 7

/** One row for each length: microseconds a step, and how often that is the cost at the smallest length. */
export function run() {
  const items = session(Math.max(...SIZES) + 2 * STEPS * ROUNDS)
  costPerStep(items, SIZES[0]) // the first run pays for compiling
  const costs = SIZES.map((size) => median(Array.from({ length: ROUNDS }, () => costPerStep(items, size))))
  const rows = SIZES.map((size, index) => [size, costs[index].toFixed(1), (costs[index] / costs[0]).toFixed(2)])
  return { columns: ['messages before', 'µs a step', '× the smallest'], rows }
}

/** Each step appends a call with its result, brings the view up to date and measures it. */
function costPerStep(items, size) {
  const transcript = new Transcript(anthropicMessages, dialectMeter(anthropicMessages, 'claude-sonnet-4-5', 'mean'))
  const view = new LiveView(transcript)
  transcript.append(items.slice(0, size))
  view.follow()
  let tokens = 0
  const start = performance.now()
  for (let step = 0; step < STEPS; step++) {
    transcript.append(items.slice(size + 2 * step, size + 2 * step + 2))
    tokens += tokensOf(view.follow().units)
  }
  const cost = ((performance.now() - start) * 1000) / STEPS
  if (!(tokens > 0)) throw new Error('Nothing was measured.')
  return cost
}

/** A tool loop of one user turn: every step reads a file and gets its text. */
function session(length) {
  const text = 'export const answer = (question: string) => question.length * 42 // by definition\n'.repeat(12)
  return Array.from({ length }, (_, index) => {
    if (index === 0) return { role: 'user', content: 'Find the fault.' }
    const id = `toolu_${Math.ceil(index / 2)}`
    return index % 2 === 1
      ? {
          role: 'assistant',
          content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `src/file-${index}.ts` } }],
        }
      : { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: `${text}// ${index}` }] }
  })
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
