import type { LanguageModelV3Middleware } from '@ai-sdk/provider'
import type { FormatName } from '@palimpsest/wirelab'
import { type PalimpsestOptions, palimpsest } from 'palimpsest/ai-sdk'
import { ERROR_HEADER, type PalimpsestFetchOptions, palimpsestFetch } from 'palimpsest/fetch'
import type { Step } from './steps.test-data.ts'

/** Is the answer asked for whole, or as a stream? */
export type Manner = 'generate' | 'stream'

/** What palimpsest is set up with, whatever the way in. */
export type KeeperOptions = Omit<PalimpsestFetchOptions, 'session' | 'namespace' | 'summarizer'> & {
  readonly summarizer?: 'model' | 'extractive' | { readonly model: string }
  /** Default: by credential. */
  readonly namespace?: string
}

/** One palimpsest in front of any number of clients: as a `fetch`, and as a middleware of the AI SDK. */
export interface Keeper {
  readonly fetch: typeof globalThis.fetch
  readonly middleware: LanguageModelV3Middleware
  /** Bodies of requests as the SDKs made them, before palimpsest saw them. */
  readonly given: readonly string[]
  /** What answers said beside the provider's own words: why no further attempt was made, and what would help. */
  readonly explained: readonly string[]
}

export function keeperOf(options: KeeperOptions): Keeper {
  const { fetch: _transport, summarizer, ...rest } = options
  // the middleware takes a model object instead of a name: cases that name one go through `fetch`
  const own = { ...rest, ...(typeof summarizer === 'string' && { summarizer }) } as PalimpsestOptions
  const given: string[] = []
  const explained: string[] = []
  const kept = palimpsestFetch(options)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    given.push(String(init?.body ?? ''))
    const response = await kept(input, init)
    const words = response.headers.get(ERROR_HEADER)
    if (words !== null) explained.push(words)
    return response
  }
  return { fetch, middleware: palimpsest(own) as LanguageModelV3Middleware, given, explained }
}

export interface ClientSetup {
  /** Of the simulator. */
  readonly url: string
  readonly keeper: Keeper
  /** Default: the way's own. */
  readonly model?: string
  readonly apiKey?: string
  /** Default: one short sentence. */
  readonly system?: string
  /** Output tokens that are asked for, where the format has such a field; `unset`: where it need not. Default 500. */
  readonly maxOutput?: number | 'unset'
  /** Default 0. */
  readonly maxRetries?: number
}

/** What came of one call, as the SDK gave it. */
export interface Answer {
  readonly text: string
  readonly calls: readonly AnsweredCall[]
  /** All that the caller was shown: text and reasoning, in order, as it streamed. */
  readonly shown: string
}

export interface AnsweredCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** An SDK in a conversation with one tool, `read_file`. */
export interface WayClient {
  /** Sends the whole conversation. @throws what the SDK throws. */
  ask(steps: readonly Step[], manner: Manner): Promise<Answer>
}

/** A way in: one SDK and one wire format, pointed at the simulator through palimpsest. */
export interface Way {
  readonly name: string
  /** What the simulator receives. */
  readonly format: FormatName
  /** What palimpsest reads: not the same where it stands in front of the SDK's own wire. */
  readonly dialect: string
  readonly model: string
  readonly manners: readonly Manner[]
  connect(setup: ClientSetup): WayClient
}

export const TOOL = 'read_file'
export const SYSTEM = 'You are a careful programmer.'

/** The output cap of a setup; undefined: none is to be sent. */
export function outputCap({ maxOutput = 500 }: ClientSetup): number | undefined {
  return maxOutput === 'unset' ? undefined : maxOutput
}
