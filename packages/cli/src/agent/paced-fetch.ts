import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A `fetch` whose streamed answers come event by event, with a pause behind each, so that one can read along. A simulator has
 * the whole answer at once.
 */
export function pacedFetch(milliseconds: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, headers } = response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    if (body === null || !isStream) return response
    return new Response(body.pipeThrough(pacedEvents(milliseconds)), { status, headers })
  }
}

/** Cuts server-sent events apart, wherever the chunks of the connection end. */
function pacedEvents(milliseconds: number): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()]
  let rest = ''
  return new TransformStream({
    async transform(chunk, controller) {
      const events = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/(?<=\n\n)/)
      rest = events.at(-1)?.endsWith('\n\n') === true ? '' : (events.pop() ?? '')
      for (const event of events) {
        controller.enqueue(encoder.encode(event))
        if (event.includes('_delta"')) await sleep(milliseconds)
      }
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(encoder.encode(rest))
    },
  })
}
