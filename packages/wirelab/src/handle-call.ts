import { answerCall, overflowOf } from './answer-call.ts'
import { type Decision, type Generating, refuse, refusedBy } from './decision.ts'
import { failAtOnce, failInStream, failScripted } from './fail-call.ts'
import { type FaultKind, placeOf } from './faults.ts'
import type { Refusal, Reply, WireFormat } from './format.ts'
import { jsonAnswer } from './json-answer.ts'
import type { CallPurpose, CallRecord, LabCall } from './lab-call.ts'
import type { LabState } from './lab-state.ts'
import { formatNear, type RoutedRequest, readRequest, routeRequest, type SeenRequest } from './read-call.ts'
import { replyOf } from './script/script.ts'
import { summaryOf } from './script/summary-calls.ts'
import { send } from './send-decision.ts'
import { promptTokens, sizePrompt } from './token-counter.ts'

/** Answers one request as the API that it is for would, and records it. `breakOff` ends the connection without a word. */
export async function handleCall(
  request: Request,
  state: LabState,
  connection: { readonly breakOff: () => void },
): Promise<Response> {
  const seen = await readRequest(request)
  const routed = routeRequest(seen, state.formats)
  const decision = routed === undefined ? unknownPath(seen, state) : await decide(routed, state)
  return send(decision, {
    seen,
    routed,
    purpose: purposeOf(seen, state),
    note: (call) => note(call, state),
    ...connection,
  })
}

function note(call: CallRecord, { calls, onCall }: LabState): void {
  calls.push(call)
  onCall(call)
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

function counted(format: WireFormat, tokens: number): Decision {
  const answer = jsonAnswer(200, format.count?.(tokens))
  return { sends: { kind: 'http', answer }, outcome: 'answered', tokens }
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

function scriptedAnswer(call: LabCall, state: LabState): Promise<Reply | FaultKind | undefined> {
  return call.purpose === 'summary' ? summaryOf(state.summarizer, call) : replyOf(state.script, call)
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
