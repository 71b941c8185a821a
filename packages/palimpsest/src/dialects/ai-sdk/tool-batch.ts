import type { AiSdkMessage, AiSdkPart } from './items.ts'
import { isProviderRun, partsOf, typeOf } from './part-data.ts'

/** A part with its place in the prompt. */
export interface PlacedPart {
  readonly position: number
  readonly part: number
  readonly native: AiSdkPart
}

/** One step: an assistant message and the tool messages right behind it. Tool messages without one make a batch alone. */
export interface Batch {
  /** Position of the assistant message. */
  readonly assistant: number | undefined
  /** Nothing follows it. */
  readonly isLast: boolean
  /** Calls that the client runs. */
  readonly calls: readonly PlacedPart[]
  readonly providerCalls: readonly PlacedPart[]
  readonly providerResults: readonly PlacedPart[]
  readonly requests: readonly PlacedPart[]
  readonly results: readonly PlacedPart[]
  readonly responses: readonly PlacedPart[]
}

/** The steps of a prompt, in order. */
export function batchesOf(messages: readonly AiSdkMessage[]): readonly Batch[] {
  const batches: Batch[] = []
  for (let at = 0; at < messages.length; ) {
    const assistant = messages[at]?.role === 'assistant' ? at : undefined
    const firstTool = assistant === undefined ? at : at + 1
    let end = firstTool
    while (messages[end]?.role === 'tool') end++
    if (end > at) batches.push(batchOf(messages, assistant, firstTool, end))
    at = Math.max(end, at + 1)
  }
  return batches
}

function batchOf(
  messages: readonly AiSdkMessage[],
  assistant: number | undefined,
  firstTool: number,
  end: number,
): Batch {
  const step = assistant === undefined ? [] : placed(messages, assistant, firstTool)
  const answers = placed(messages, firstTool, end)
  const own = assistant === undefined ? undefined : messages[assistant]
  const byProvider = ({ native }: PlacedPart) => own !== undefined && isProviderRun(native, own)
  const calls = ofType(step, 'tool-call')
  return {
    assistant,
    isLast: end === messages.length,
    calls: calls.filter((call) => !byProvider(call)),
    providerCalls: calls.filter(byProvider),
    providerResults: ofType(step, 'tool-result'),
    requests: ofType(step, 'tool-approval-request'),
    results: ofType(answers, 'tool-result'),
    responses: ofType(answers, 'tool-approval-response'),
  }
}

function ofType(parts: readonly PlacedPart[], type: string): readonly PlacedPart[] {
  return parts.filter(({ native }) => typeOf(native) === type)
}

function placed(messages: readonly AiSdkMessage[], from: number, to: number): readonly PlacedPart[] {
  return messages
    .slice(from, to)
    .flatMap((message, index) => partsOf(message).map((native, part) => ({ position: from + index, part, native })))
}
