import type { AnthropicMessage, AnthropicRequest } from '../../dialects/anthropic-messages/index.ts'

export const MESSAGES_URL = 'https://api.example.com/v1/messages'

/** One request as the server got it. */
export interface Seen {
  readonly url: string
  readonly headers: Headers
  readonly text: string
  readonly body: AnthropicRequest & { readonly stream?: boolean }
  readonly signal: AbortSignal | null
  readonly isSummary: boolean
}

/** A summary long enough to be taken for one. */
export const SUMMARY: string = `## Goals
Fix the bug. Never push to main.
## Work done
${Array.from({ length: 12 }, (_, at) => `The file src/file-${at}.ts was read to its end; the bug is not in it.`).join('\n')}
## Next action
Read the next file.`

type Handler = (seen: Seen) => Response | Promise<Response>

/** A server of the Messages API as a `fetch` function: it counts characters and refuses what is too long. */
export class MessagesServer {
  readonly window: number
  readonly seen: Seen[] = []
  /** What answers the next calls that are no summaries, in order; then the usual answer. */
  readonly next: Handler[] = []
  /** What answers calls for a summary. */
  summary: Handler = () => json(messageOf(SUMMARY))

  constructor(window = 200_000) {
    this.window = window
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const bytes = new Uint8Array(await request.clone().arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const body = parsedOr(text, {}) as Seen['body']
    const isSummary = body.tools === undefined && text.includes('<transcript')
    const { url, headers } = request
    const seen = { url, headers, text, body, signal: init?.signal ?? null, isSummary }
    this.seen.push(seen)
    if (isSummary) return this.summary(seen)
    const handler = this.next.shift()
    return handler === undefined ? this.answer(seen) : handler(seen)
  }

  /** The calls of the conversation itself. */
  get main(): readonly Seen[] {
    return this.seen.filter(({ isSummary }) => !isSummary)
  }

  tokens({ system, tools, messages }: AnthropicRequest): number {
    return Math.ceil(JSON.stringify([system, tools, messages]).length / 3.4)
  }

  answer({ body }: Seen): Response {
    const input = this.tokens(body)
    if (input > this.window) return refusal(`prompt is too long: ${input} tokens > ${this.window} maximum`)
    return body.stream === true ? eventStream(eventsOf('It is done.', input)) : json(messageOf('It is done.', input))
  }
}

function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } })
}

export function refusal(message: string, status = 400, type = 'invalid_request_error'): Response {
  return json({ type: 'error', error: { type, message } }, status, { 'request-id': 'req_1' })
}

export function messageOf(text: string, input = 10, stop = 'end_turn'): object {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text }],
    stop_reason: stop,
    usage: { input_tokens: input, output_tokens: 5 },
  }
}

/** The events of a streamed message, as text, one by one. */
export function eventsOf(text: string, input = 10): readonly string[] {
  const start = { ...messageOf('', input), content: [], stop_reason: null }
  return [
    event('message_start', { message: start }),
    event('ping', {}),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...text
      .split(' ')
      .map((word) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `${word} ` } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    event('message_stop', {}),
  ]
}

export function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

export const OVERFLOW_EVENT: string = event('error', {
  error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
})

export function eventStream(pieces: readonly (string | Uint8Array)[]): Response {
  const left = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = left.shift() as Uint8Array<ArrayBuffer> | undefined
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'request-id': 'req_1' } })
}

/** A stream whose pieces are sent one by one, when the test says so. */
export function steeredStream(): {
  readonly response: Response
  send(piece: string): void
  end(): void
  fail(error: Error): void
  /** Resolves when the stream is cancelled. */
  readonly cancelled: Promise<unknown>
  /** How many pieces were asked for so far. */
  readonly pulls: () => number
} {
  let steer: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  let cancel: (reason: unknown) => void = () => {}
  let pulls = 0
  const cancelled = new Promise<unknown>((resolve) => {
    cancel = resolve
  })
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        steer = controller
      },
      pull: () => {
        pulls++
      },
      cancel: (reason) => cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    send: (piece) => steer?.enqueue(new TextEncoder().encode(piece)),
    end: () => steer?.close(),
    fail: (error) => steer?.error(error),
    cancelled,
    pulls: () => pulls,
  }
}

const READ = { name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }
export const TASK: AnthropicMessage = { role: 'user', content: 'Fix the bug. Never push to main.' }

/** A request body, as a client writes it: its own spacing and its own way with numbers. */
export function bodyText(messages: readonly AnthropicMessage[], more: object = {}): string {
  return `{"model": "claude-sonnet-4-5", "max_tokens": 4000, "temperature": 1.0, "metadata": {"big": 12345678901234567890}, "tools": ${JSON.stringify([READ])}, "messages": ${JSON.stringify(messages, null, 1)}${Object.entries(
    more,
  )
    .map(([key, value]) => `, ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join('')}}`
}

/** Calls of a tool with results of about this many characters each. */
export function toolSteps(count: number, characters: number): readonly AnthropicMessage[] {
  return Array.from({ length: count }, (_, number): AnthropicMessage[] => {
    const line = `${number}: a line of the file that was read\n`
    const content = line.repeat(Math.ceil(characters / line.length)).slice(0, characters)
    const id = `toolu_${number}`
    return [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id, name: 'read', input: { path: `src/file-${number}.ts` } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ]
  }).flat()
}
