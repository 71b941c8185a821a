import { arrayStreamEvents, frameStreamEvents, type StreamEvents, sseStreamEvents } from '../../wire/stream-events.ts'
import type { ModelCall } from './model-call.ts'

/** How this answer is to be read as a stream; undefined: it is none. */
export function streamEventsOf(
  response: Response,
  call: Pick<ModelCall, 'stream' | 'dialect'>,
): StreamEvents | undefined {
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (response.body === null) return undefined
  if (type.includes('text/event-stream')) return sseStreamEvents()
  if (type.includes('vnd.amazon.eventstream')) return frameStreamEvents()
  if (!call.stream) return undefined
  if (type === '') return sseStreamEvents()
  // Gemini streams an array where the caller does not ask for server-sent events.
  return call.dialect.name === 'gemini' && type.includes('json') ? arrayStreamEvents() : undefined
}
