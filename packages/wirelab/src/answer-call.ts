import type { Decision, Generating, Sends } from './decision.ts'
import { refuse, refusedBy } from './decision.ts'
import type { Reply, ReplyContext, WireFormat } from './format.ts'
import { jsonAnswer } from './json-answer.ts'
import type { LabCall } from './lab-call.ts'
import type { LabState } from './lab-state.ts'

/** The answer that the script gives. */
export function answerCall(reply: Reply, call: LabCall, generating: Generating): Decision {
  const context = contextOf(reply, call, generating)
  generating.state.answered[call.purpose] += 1
  return answered(reply, context, { call, format: generating.format })
}

function answered(
  reply: Reply,
  context: ReplyContext,
  { call, format }: { readonly call: LabCall; readonly format: WireFormat },
): Decision {
  const sends: Sends = call.stream
    ? { kind: 'stream', pieces: format.stream(reply, context), end: 'close', type: format.streamType }
    : { kind: 'http', answer: jsonAnswer(200, format.reply(reply, context)) }
  return { sends, outcome: 'answered', tokens: call.tokens, usage: context.usage }
}

/** What an answer to this call echoes: its usage, by counter and cache, and its id. */
export function contextOf(reply: Reply, call: LabCall, { format, prompt, state }: Generating): ReplyContext {
  const scope = `${format.name} ${call.model}`
  const { read, write } = state.cache.use(prompt, { scope, caches: format.caches ?? 'automatic' })
  const usage = { input: call.tokens, cacheRead: read, cacheWrite: write, output: outputTokens(reply, call, state) }
  state.begun += 1
  const id = `lab${String(state.begun).padStart(6, '0')}`
  return { id, model: call.model, usage, body: call.body }
}

function outputTokens(reply: Reply, call: LabCall, state: LabState): number {
  const texts = reply.parts.map((part) =>
    part.kind === 'tool-call' ? part.name + JSON.stringify(part.input) : part.text,
  )
  return Math.ceil(texts.reduce((sum, text) => sum + state.count(text, call.model), 0))
}

/** The answer to a prompt that does not fit; undefined: it does. */
export function overflowOf(call: LabCall, { format, prompt, state }: Generating): Decision | undefined {
  const output = format.outputCap(call.body) ?? 0
  const summed = (state.sumsOutput ?? format.sumsOutput ?? false) ? output : 0
  if (call.tokens + summed <= state.window) return undefined
  const numbers = { tokens: call.tokens, window: state.window, output, model: call.model }
  const row = state.wording
  if (row === undefined) return refuse(format, { kind: 'overflow', ...numbers }, call.tokens)
  if (row.responds === 'refusal') {
    return { ...refusedBy(row.answer(numbers), call.tokens), reason: 'overflow', message: row.name }
  }
  return answerDespiteOverflow(row.responds, call, { format, prompt, state })
}

function answerDespiteOverflow(
  how: 'finish-reason' | 'silent-cut' | 'silent-above',
  call: LabCall,
  { format, prompt, state }: Generating,
): Decision {
  const reply: Reply =
    how === 'finish-reason'
      ? { parts: [], finish: 'context-window' }
      : { parts: [{ kind: 'text', text: 'How can I help you?' }] }
  const input = how === 'silent-cut' ? state.window : call.tokens
  const context = contextOf(reply, call, { format, prompt, state })
  const usage = { ...context.usage, input, cacheRead: 0, cacheWrite: 0 }
  return { ...answered(reply, { ...context, usage }, { call, format }), outcome: 'refused', reason: `overflow: ${how}` }
}
