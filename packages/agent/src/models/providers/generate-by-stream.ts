import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { BrokenStream } from '../failure/broken-stream.ts'

/** A whole answer from a server that only streams. @throws the error that the stream holds, or one where it ends too early. */
export async function generateByStream(
  doStream: LanguageModelV3['doStream'],
  options: LanguageModelV3CallOptions,
): Promise<LanguageModelV3GenerateResult> {
  const { stream, request, response } = await doStream(options)
  const pieces = new Pieces()
  for await (const part of stream) pieces.push(part)
  return { ...pieces.result(), ...(request && { request }), response: { ...response, ...pieces.response } }
}

type Start = Extract<LanguageModelV3StreamPart, { type: 'text-start' | 'reasoning-start' }>
type Open = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>

class Pieces {
  readonly #content: LanguageModelV3Content[] = []
  readonly #open = new Map<string, Open>()
  #warnings: LanguageModelV3GenerateResult['warnings'] = []
  #finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined
  response: LanguageModelV3GenerateResult['response'] = {}

  push(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case 'error':
        throw part.error
      case 'stream-start':
        this.#warnings = part.warnings
        return
      case 'response-metadata': {
        const { type: _, ...metadata } = part
        this.response = metadata
        return
      }
      case 'text-start':
      case 'reasoning-start':
        this.#start(part)
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#grow(part.id, part.delta, part.providerMetadata)
        return
      case 'text-end':
      case 'reasoning-end':
        this.#grow(part.id, '', part.providerMetadata)
        return
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'source':
        this.#content.push(part)
        return
      case 'finish':
        this.#finish = part
    }
  }

  result(): Pick<
    LanguageModelV3GenerateResult,
    'content' | 'finishReason' | 'usage' | 'warnings' | 'providerMetadata'
  > {
    if (this.#finish === undefined) throw new BrokenStream('cut-off')
    const { finishReason, usage, providerMetadata } = this.#finish
    return {
      content: this.#content,
      finishReason,
      usage,
      warnings: this.#warnings,
      ...(providerMetadata && { providerMetadata }),
    }
  }

  #start({ type, id, providerMetadata }: Start): void {
    const piece: Open = {
      type: type === 'text-start' ? 'text' : 'reasoning',
      text: '',
      ...(providerMetadata && { providerMetadata }),
    }
    this.#content.push(piece)
    this.#open.set(id, piece)
  }

  #grow(id: string, delta: string, metadata: Open['providerMetadata']): void {
    const piece = this.#open.get(id)
    if (piece === undefined) return
    piece.text += delta
    if (metadata !== undefined) piece.providerMetadata = metadata
  }
}
