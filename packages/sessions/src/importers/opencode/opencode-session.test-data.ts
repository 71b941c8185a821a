/** What a test says of one message of opencode. */
export interface Said {
  readonly info: { readonly id: string; readonly [field: string]: unknown }
  readonly parts: readonly { readonly [field: string]: unknown }[]
}

export const sessionInfo = {
  id: 'ses_1',
  projectID: 'p',
  directory: '/p',
  title: 'A title',
  time: { created: 1, updated: 9 },
}

/** A message of the user; numbers give ids that sort as they do. */
export function asked(number: number, parts: readonly object[], info: object = {}): Said {
  return message(number, parts, { role: 'user', ...info })
}

/** An answer, with the usage of its call. */
export function answered(number: number, parts: readonly object[], info: object = {}): Said {
  const tokens = { input: 3, output: 2, reasoning: 1, cache: { read: 5, write: 1 } }
  const about = { role: 'assistant', parentID: idOf(number - 1), modelID: 'm', providerID: 'p', finish: 'stop', tokens }
  return message(number, parts, { ...about, ...info })
}

export function text(words: string, more: object = {}) {
  return { type: 'text', text: words, ...more }
}

/** A call that was answered. */
export function tool(callID: string, output: string, more: object = {}) {
  const state = {
    status: 'completed',
    input: { path: callID },
    output,
    title: 't',
    metadata: {},
    time: { start: 1, end: 2 },
  }
  return { type: 'tool', callID, tool: 'read', state: { ...state, ...more } }
}

export function idOf(number: number): string {
  return `msg_${String(number).padStart(4, '0')}`
}

function message(number: number, parts: readonly object[], info: object): Said {
  const id = idOf(number)
  const placed = parts.map((part, at) => ({ id: `prt_${number}_${at}`, messageID: id, sessionID: 'ses_1', ...part }))
  return { info: { id, sessionID: 'ses_1', time: { created: number * 10 }, ...info }, parts: placed }
}
