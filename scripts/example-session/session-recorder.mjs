// Writes a session as Claude Code keeps it: one line per event, an assistant message split over a line per block with the
// same message id and the same usage on each, results as user lines.

const overhead = 19_400 // system prompt and tools of the client, in no item of the file
const charactersPerToken = 2.7

/** Collects lines. `random` gives ids, `start` is the time of the first line in milliseconds. */
export function sessionRecorder({ random, start, cwd, model, version }) {
  const sessionId = random.uuid()
  const lines = []
  const prompt = { cached: 0, tokens: overhead, thinking: 0, turnStart: overhead }
  let time = start
  let parent = null

  const stamp = (seconds) => {
    time += seconds * 1_000 + random.integer(0, 999)
    return new Date(time).toISOString()
  }
  const write = (type, rest, seconds) => {
    const uuid = random.uuid()
    const place = {
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version,
      gitBranch: 'main',
    }
    lines.push({ ...place, type, ...rest, uuid, timestamp: stamp(seconds) })
    parent = uuid
  }
  const usageOf = (content) => {
    const input = random.integer(3, 9)
    const usage = {
      input_tokens: input,
      cache_creation_input_tokens: prompt.tokens - prompt.cached - input,
      cache_read_input_tokens: prompt.cached,
      output_tokens: tokensOf(content),
    }
    prompt.cached = prompt.tokens - input
    return usage
  }

  return {
    title: (text) => lines.push({ type: 'summary', summary: text, leafUuid: parent }),
    /** The person's words open a turn: thinking of the turn before leaves the prompt, and its cache ends where that began. */
    user(content, seconds = 90) {
      write('user', { message: { role: 'user', content } }, seconds)
      if (prompt.thinking > 0) prompt.cached = Math.min(prompt.cached, prompt.turnStart)
      prompt.tokens += tokensOf(content) - prompt.thinking
      prompt.thinking = 0
      prompt.turnStart = prompt.tokens
    },
    assistant(content) {
      const usage = usageOf(content)
      const calls = content.some((block) => block.type === 'tool_use')
      const head = { id: `msg_01${random.letters(22)}`, type: 'message', role: 'assistant', model }
      const tail = { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null, usage }
      const requestId = `req_01${random.letters(22)}`
      for (const block of content)
        write('assistant', { message: { ...head, content: [block], ...tail }, requestId }, random.integer(1, 6))
      prompt.tokens += usage.output_tokens
      prompt.thinking += tokensOf(content.filter((block) => block.type === 'thinking'))
    },
    /** Results of one step, a line each, in the order given. */
    results(blocks) {
      for (const block of blocks) write('user', { message: { role: 'user', content: [block] } }, random.integer(1, 12))
      prompt.tokens += tokensOf(blocks)
    },
    turnEnded: (seconds) =>
      write('system', { subtype: 'turn_duration', durationMs: seconds * 1_000, isMeta: false }, 0),
    size: () => prompt.tokens,
    text: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  }
}

/** What the content costs, near enough: 2.7 characters a token, and a few tokens for each block. */
function tokensOf(content) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const characters = blocks.map((block) => block.text ?? block.thinking ?? block.content ?? JSON.stringify(block.input))
  return characters.reduce((sum, text) => sum + 8 + Math.ceil(text.length / charactersPerToken), 0)
}
