import { answerStream } from './answer-stream.ts'
import type { Decision } from './decision.ts'
import type { CallPurpose, CallRecord } from './lab-call.ts'
import type { RoutedRequest, SeenRequest } from './read-call.ts'

/** The call that is answered, and where its record goes. */
export interface Sending {
  readonly seen: SeenRequest
  readonly routed: RoutedRequest | undefined
  readonly purpose: CallPurpose
  readonly note: (call: CallRecord) => void
  readonly breakOff: () => void
}

/** Records what was decided, and carries it out. */
export async function send(decision: Decision, sending: Sending): Promise<Response> {
  let ended: (how: 'sent' | 'client-gone') => void = () => {}
  const end = new Promise<'sent' | 'client-gone'>((resolve) => {
    ended = resolve
  })
  sending.note(recordOf(decision, sending, end))
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

function recordOf(decision: Decision, { seen, routed, purpose }: Sending, end: CallRecord['end']): CallRecord {
  const { sends, ...facts } = decision
  return {
    ...facts,
    format: routed?.format.name,
    kind: routed?.call.kind ?? 'unknown',
    purpose,
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
