import { answerStream, piecesUpToContent, type StreamEnd } from './answer-stream.ts'
import { type FaultKind, type FaultQueue, placeOf } from './faults.ts'
import type { HttpAnswer, LabRules, LabUsage, Refusal, Reply, ReplyContext, StreamPiece, WireFormat } from './format.ts'
import { jsonAnswer } from './json-answer.ts'
import type { CallPurpose, CallRecord, LabCall } from './lab-call.ts'
import { type OverflowWording, overflowWording } from './overflow-wordings.ts'
import type { PrefixCache, SizedBlock } from './prefix-cache.ts'
import { formatNear, type RoutedRequest, readRequest, routeRequest, type SeenRequest } from './read-call.ts'
import { replyOf, type Script } from './script/script.ts'
import { type SummaryScript, summaryOf } from './script/summary-calls.ts'
import { promptTokens, sizePrompt, type TokenCounter } from './token-counter.ts'

/** What the simulator is set to, and what it remembers from call to call. */
export interface LabState {
  readonly formats: readonly WireFormat[]
  readonly window: number
  readonly rules: LabRules
  readonly script: Script
  readonly summarizer: SummaryScript
  readonly isSummaryCall: (body: unknown) => boolean
  readonly faults: FaultQueue
  readonly cache: PrefixCache
  readonly count: TokenCounter
  readonly wording: OverflowWording | undefined
  readonly sumsOutput: boolean | undefined
  readonly bytesLimit: number
  readonly calls: CallRecord[]
  readonly answered: Record<CallPurpose, number>
}

/** What is done with a call: the answer, and what the record says of it. */
interface Decision {
  readonly sends: Sends
  readonly outcome: CallRecord['outcome']
  readonly tokens: number
  readonly reason?: string
  readonly message?: string
  readonly usage?: LabUsage
}

type Sends =
  | { readonly kind: 'http'; readonly answer: HttpAnswer }
  | { readonly kind: 'stream'; readonly pieces: readonly StreamPiece[]; readonly end: StreamEnd; readonly type: string }
  /** Not even a status, until the client goes away. */
  | { readonly kind: 'nothing' }

/** Answers one request as the API that it is for would, and records it. `breakOff` ends the connection without a word. */
export async function handleCall(
  request: Request,
  state: LabState,
  connection: { readonly breakOff: () => void },
): Promise<Response> {
  const seen = await readRequest(request)
  const routed = routeRequest(seen, state.formats)
  const decision = routed === undefined ? unknownPath(seen, state) : await decide(routed, state)
  return send(decision, { seen, routed, state, ...connection })
}

async function decide(routed: RoutedRequest, state: LabState): Promise<Decision> {
  const { seen, format, call } = routed
  if (call.kind === 'models') return models(routed)
  const refused = refuseUnread(seen, routed, state)
  if (refused !== undefined) return refuse(format, refused, 0)
  const prompt = sizePrompt(format.prompt(seen.body), { count: state.count, model: call.model })
  const tokens = promptTokens(prompt)
  if (call.kind === 'count') return counted(format, tokens)
  const purpose = purposeOf(seen, state)
  const labCall: LabCall = {
    ...call,
    format: format.name,
    purpose,
    body: seen.body,
    tokens,
    answered: state.answered[purpose],
  }
  return decideGenerate(labCall, { format, prompt, state })
}

/** Everything that is refused before the prompt is counted. */
function refuseUnread(seen: SeenRequest, { format, call }: RoutedRequest, state: LabState): Refusal | undefined {
  if (Buffer.byteLength(seen.bodyText) > state.bytesLimit) return { kind: 'too-many-bytes', html: false }
  if (seen.body === undefined) {
    return { kind: 'invalid', rule: 'body', message: 'The request body is not valid JSON.' }
  }
  const broken = format.validate(seen.body, state.rules, call)
  return broken === undefined ? undefined : { kind: 'invalid', ...broken }
}

interface Generating {
  readonly format: WireFormat
  readonly prompt: readonly SizedBlock[]
  readonly state: LabState
}

/** A call that is valid: too large, hit by a fault, or answered. */
async function decideGenerate(call: LabCall, generating: Generating): Promise<Decision> {
  const { format, state } = generating
  const overflow = overflowOf(call, generating)
  if (overflow !== undefined) return overflow
  const fault = state.faults.take(call)
  if (fault !== undefined && placeOf(fault) === 'before-first-byte') return failAtOnce(fault, call, generating)
  const scripted = await scriptedAnswer(call, state)
  if (scripted === undefined) return scriptUsedUp(format, call)
  if ('kind' in scripted) return failScripted(scripted, call, generating)
  return fault === undefined
    ? answerCall(scripted, call, generating)
    : failInStream(fault, scripted, { call, generating })
}

/** The answer to a prompt that does not fit; undefined: it does. */
function overflowOf(call: LabCall, { format, prompt, state }: Generating): Decision | undefined {
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

/** A fault instead of an answer. */
function failAtOnce(fault: FaultKind, call: LabCall, { format, state }: Generating): Decision {
  if (fault.kind === 'stall') return { ...faulted(fault, call), sends: { kind: 'nothing' } }
  if (fault.kind === 'overflow' && fault.wording !== undefined) {
    const row = overflowWording(fault.wording)
    if (row.responds !== 'refusal') throw new RangeError(`the wording ${row.name} is no refusal, so no fault has it`)
    const http = row.answer({ ...overflowNumbers(fault, call, { format, state }), model: call.model })
    return { ...faulted(fault, call), sends: { kind: 'http', answer: http } }
  }
  const answer = format.refusal(refusalOf(fault, call, { format, state }))
  return { ...faulted(fault, call), sends: { kind: 'http', answer } }
}

/** A fault that the summariser's script asks for. */
function failScripted(fault: FaultKind, call: LabCall, generating: Generating): Decision {
  if (placeOf(fault) === 'before-first-byte') return failAtOnce(fault, call, generating)
  return failInStream(fault, { parts: [{ kind: 'text', text: 'So far, ' }] }, { call, generating })
}

/** A stream that begins like the answer, and breaks. */
function failInStream(
  fault: FaultKind,
  reply: Reply,
  { call, generating }: { readonly call: LabCall; readonly generating: Generating },
): Decision {
  const { format, state } = generating
  const whole = format.stream(reply, contextOf(reply, call, generating))
  const begun = piecesUpToContent(whole, placeOf(fault) === 'mid-stream')
  const type = format.streamType
  if (fault.kind === 'stall' || fault.kind === 'disconnect') {
    const end = fault.kind === 'stall' ? 'stall' : 'break'
    return { ...faulted(fault, call), sends: { kind: 'stream', pieces: begun, end, type } }
  }
  const pieces = [...begun, format.streamFailure(refusalOf(fault, call, { format, state }))]
  return { ...faulted(fault, call), sends: { kind: 'stream', pieces, end: 'close', type } }
}

function faulted(fault: FaultKind, { tokens }: LabCall): Omit<Decision, 'sends'> {
  return { outcome: 'faulted', tokens, reason: fault.kind }
}

function refusalOf(
  fault: FaultKind,
  call: LabCall,
  by: { readonly format: WireFormat; readonly state: LabState },
): Refusal {
  switch (fault.kind) {
    case 'overflow':
      return { kind: 'overflow', ...overflowNumbers(fault, call, by) }
    case 'rate-limit':
      return { kind: 'rate-limit', body: fault.body }
    case '413-html':
      return { kind: 'too-many-bytes', html: true }
    case '413':
      return { kind: 'too-many-bytes', html: false }
    case '529':
      return { kind: 'overloaded' }
    case 'reasoning-bound':
      return { kind: 'reasoning-bound' }
    default:
      throw new RangeError(`the fault ${fault.kind} has no words`)
  }
}

/** What an injected overflow states: the prompt is larger than the window, whatever it really is. */
function overflowNumbers(
  fault: Extract<FaultKind, { kind: 'overflow' }>,
  call: LabCall,
  { format, state }: { readonly format: WireFormat; readonly state: LabState },
): { readonly tokens: number; readonly window: number; readonly output: number } {
  const window = fault.window ?? state.window
  return { tokens: Math.max(call.tokens, window + 1), window, output: format.outputCap(call.body) ?? 0 }
}

function scriptedAnswer(call: LabCall, state: LabState): Promise<Reply | FaultKind | undefined> {
  return call.purpose === 'summary' ? summaryOf(state.summarizer, call) : replyOf(state.script, call)
}

function answerCall(reply: Reply, call: LabCall, generating: Generating): Decision {
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

function contextOf(reply: Reply, call: LabCall, { format, prompt, state }: Generating): ReplyContext {
  const scope = `${format.name} ${call.model}`
  const { read, write } = state.cache.use(prompt, { scope, caches: format.caches ?? 'automatic' })
  const usage = { input: call.tokens, cacheRead: read, cacheWrite: write, output: outputTokens(reply, call, state) }
  const id = `lab${String(state.calls.length + 1).padStart(6, '0')}`
  return { id, model: call.model, usage, body: call.body }
}

function outputTokens(reply: Reply, call: LabCall, state: LabState): number {
  const texts = reply.parts.map((part) =>
    part.kind === 'tool-call' ? part.name + JSON.stringify(part.input) : part.text,
  )
  return Math.ceil(texts.reduce((sum, text) => sum + state.count(text, call.model), 0))
}

function refuse(format: WireFormat, refusal: Refusal, tokens: number): Decision {
  const named =
    refusal.kind === 'invalid' ? { reason: refusal.rule, message: refusal.message } : { reason: refusal.kind }
  return { ...refusedBy(format.refusal(refusal), tokens), ...named }
}

function refusedBy(answer: HttpAnswer, tokens: number): Decision {
  return { sends: { kind: 'http', answer }, outcome: 'refused', tokens }
}

function counted(format: WireFormat, tokens: number): Decision {
  const answer = jsonAnswer(200, format.count?.(tokens))
  return { sends: { kind: 'http', answer }, outcome: 'answered', tokens }
}

/** A script that ends before the conversation does is a mistake of the test: said loudly, and not worth a retry. */
function scriptUsedUp(format: WireFormat, { answered, tokens }: LabCall): Decision {
  const message = `wirelab: the script has ${answered} replies, and this call asks for one more.`
  return refuse(format, { kind: 'invalid', rule: 'script-used-up', message }, tokens)
}

function unknownPath(seen: SeenRequest, state: LabState): Decision {
  const format = formatNear(seen.path, state.formats)
  if (format === undefined) return refusedBy({ status: 404, headers: {}, body: '' }, 0)
  return refuse(format, { kind: 'not-found', path: seen.path }, 0)
}

/** One model or a list of them, such that clients of both OpenAI and Anthropic can read it. */
function models({ call }: RoutedRequest): Decision {
  const id = call.model === '' ? 'lab-model' : call.model
  const openai = { id, object: 'model', created: 0, owned_by: 'wirelab' }
  const model = { ...openai, type: 'model', display_name: id, created_at: '1970-01-01T00:00:00Z' }
  const body = call.model === '' ? { object: 'list', data: [model], has_more: false } : model
  return { sends: { kind: 'http', answer: jsonAnswer(200, body) }, outcome: 'answered', tokens: 0 }
}

function purposeOf(seen: SeenRequest, state: LabState): CallPurpose {
  return state.isSummaryCall(seen.body) ? 'summary' : 'main'
}

interface Sending {
  readonly seen: SeenRequest
  readonly routed: RoutedRequest | undefined
  readonly state: LabState
  readonly breakOff: () => void
}

async function send(decision: Decision, sending: Sending): Promise<Response> {
  let ended: (how: 'sent' | 'client-gone') => void = () => {}
  const end = new Promise<'sent' | 'client-gone'>((resolve) => {
    ended = resolve
  })
  sending.state.calls.push(recordOf(decision, sending, end))
  const { sends } = decision
  switch (sends.kind) {
    case 'http':
      ended('sent')
      return new Response(sends.answer.body, { status: sends.answer.status, headers: sends.answer.headers })
    case 'stream': {
      const headers = { 'content-type': sends.type, 'cache-control': 'no-cache' }
      return new Response(answerStream(sends.pieces, sends.end, { ended, breakOff: sending.breakOff }), {
        status: 200,
        headers,
      })
    }
    case 'nothing':
      await gone(sending.seen.signal)
      ended('client-gone')
      return new Response(null, { status: 503 })
  }
}

function gone(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function recordOf(decision: Decision, { seen, routed, state }: Sending, end: CallRecord['end']): CallRecord {
  const { sends, ...facts } = decision
  return {
    ...facts,
    format: routed?.format.name,
    kind: routed?.call.kind ?? 'unknown',
    purpose: purposeOf(seen, state),
    stream: routed?.call.stream ?? false,
    method: seen.method,
    path: seen.path,
    headers: seen.headers,
    body: seen.body,
    bodyText: seen.bodyText,
    status: sends.kind === 'http' ? sends.answer.status : sends.kind === 'stream' ? 200 : 0,
    end,
  }
}
