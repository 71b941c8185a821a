import { contextOf } from './answer-call.ts'
import { piecesUpToContent } from './answer-stream.ts'
import type { Decision, Generating } from './decision.ts'
import { type FaultKind, placeOf } from './faults.ts'
import type { Refusal, Reply, WireFormat } from './format.ts'
import type { LabCall } from './lab-call.ts'
import type { LabState } from './lab-state.ts'
import { refusalWording } from './overflow-wordings.ts'

/** A fault instead of an answer. */
export function failAtOnce(fault: FaultKind, call: LabCall, { format, state }: Generating): Decision {
  if (fault.kind === 'stall') return { ...faulted(fault, call), sends: { kind: 'nothing' } }
  if (fault.kind === 'overflow' && fault.wording !== undefined) {
    const http = refusalWording(fault.wording).answer({
      ...overflowNumbers(fault, call, { format, state }),
      model: call.model,
    })
    return { ...faulted(fault, call), sends: { kind: 'http', answer: http } }
  }
  const answer = format.refusal(refusalOf(fault, call, { format, state }))
  return { ...faulted(fault, call), sends: { kind: 'http', answer } }
}

/** A fault that the summariser's script asks for. */
export function failScripted(fault: FaultKind, call: LabCall, generating: Generating): Decision {
  if (placeOf(fault) === 'before-first-byte') return failAtOnce(fault, call, generating)
  return failInStream(fault, { parts: [{ kind: 'text', text: 'So far, ' }] }, { call, generating })
}

/** A stream that begins like the answer, and breaks. */
export function failInStream(
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
