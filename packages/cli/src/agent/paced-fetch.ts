import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A `fetch` whose streamed answers of the Anthropic format come a few words at a time, with a pause behind each, so that one can
 * read along: a simulator has the whole answer at once.
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
      for (const event of events.flatMap(smallEvents)) {
        controller.enqueue(encoder.encode(event))
        if (event.includes('_delta"')) await sleep(milliseconds)
      }
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(encoder.encode(rest))
    },
  })
}

/** The same event again and again, each time with a word or two of its text; any other event as it is. */
function smallEvents(event: string): readonly string[] {
  const [, head = '', json] = /^([\s\S]*?\bdata: )(\{.*\})\n\n$/.exec(event) ?? []
  const data = json === undefined ? undefined : (JSON.parse(json) as { readonly delta?: Record<string, unknown> })
  for (const field of ['text', 'thinking']) {
    const text = data?.delta?.[field]
    if (typeof text !== 'string') continue
    const pieces = text.match(/[\s\S]{1,8}\S{0,8}\s?/g) ?? []
    return pieces.map((piece) => `${head}${JSON.stringify({ ...data, delta: { ...data?.delta, [field]: piece } })}\n\n`)
  }
  return [event]
}
