import {
  type AnthropicMessage,
  type AnthropicRequest,
  anthropicMessages,
} from '../dialects/anthropic-messages/index.ts'
import type { Compactor, CompactorOptions, Prepared, PrepareOptions } from './compactor.ts'
import { createCompactor } from './create-compactor.ts'
import type { CompactorEvent } from './events.ts'

/** A model server that counts characters and refuses what is too long, in its provider's words. */
export class CountingServer {
  readonly window: number
  readonly charactersPerToken: number
  /** Whole requests that were answered, and those that were refused. */
  readonly answered: AnthropicRequest[] = []
  readonly refused: AnthropicRequest[] = []

  constructor(window: number, charactersPerToken = 3.4) {
    this.window = window
    this.charactersPerToken = charactersPerToken
  }

  tokens(request: AnthropicRequest): number {
    return Math.ceil(JSON.stringify([request.system, request.tools, request.messages]).length / this.charactersPerToken)
  }

  /** Usage, or a refusal that is thrown. */
  answer(request: AnthropicRequest) {
    const input = this.tokens(request)
    if (input > this.window) {
      this.refused.push(request)
      throw refusal(`prompt is too long: ${input} tokens > ${this.window} maximum`)
    }
    this.answered.push(request)
    return { type: 'message', role: 'assistant', content: [], usage: { input_tokens: input, output_tokens: 40 } }
  }
}

export function refusal(message: string): Error {
  const body = { type: 'error', error: { type: 'invalid_request_error', message } }
  return Object.assign(new Error(`400 ${JSON.stringify(body)}`), { status: 400, error: body })
}

/** A compactor together with what it told. */
export function watchedCompactor(options: Omit<CompactorOptions<AnthropicRequest>, 'dialect'> = {}): {
  readonly compactor: Compactor<AnthropicRequest>
  readonly events: CompactorEvent[]
} {
  const events: CompactorEvent[] = []
  const onEvent = (event: CompactorEvent) => {
    events.push(event)
    options.onEvent?.(event)
  }
  return { compactor: createCompactor({ ...options, dialect: anthropicMessages, onEvent }), events }
}

/** A request body as a client builds it: everything parsed anew. */
export function requestOf(
  messages: readonly AnthropicMessage[],
  more: Partial<AnthropicRequest> = {},
): AnthropicRequest {
  const body = { model: 'claude-sonnet-4-5', max_tokens: 4_000, tools: [READ], messages, ...more }
  return JSON.parse(JSON.stringify(body)) as AnthropicRequest
}

const READ = { name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }

/** One call of a tool and its result of about this many characters. */
export function toolStep(number: number, characters: number): readonly AnthropicMessage[] {
  const line = `${number}: a line of the file that was read\n`
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${number}`, name: 'read', input: { path: `src/file-${number}.ts` } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `toolu_${number}`,
          content: line.repeat(Math.ceil(characters / line.length)).slice(0, characters),
        },
      ],
    },
  ]
}

export function toolSteps(count: number, characters: number): readonly AnthropicMessage[] {
  return Array.from({ length: count }, (_, number) => toolStep(number, characters)).flat()
}

/** Sends a request until it is answered, as every way in does. */
export async function callModel(
  compactor: Compactor<AnthropicRequest>,
  server: CountingServer,
  request: AnthropicRequest,
  options: PrepareOptions = {},
): Promise<Prepared<AnthropicRequest>> {
  let prepared = await compactor.prepare(request, options)
  for (;;) {
    try {
      prepared.observe(server.answer(prepared.request))
      prepared.done()
      return prepared
    } catch (failure) {
      const next = await prepared.recover(failure)
      if (next === undefined) throw failure
      prepared = next
    }
  }
}

export function eventsOf<Type extends CompactorEvent['type']>(
  events: readonly CompactorEvent[],
  type: Type,
): readonly Extract<CompactorEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<CompactorEvent, { type: Type }> => event.type === type)
}
