import { fitTokens, remembered } from '../engine/manifest/text-cut.ts'
import { BUDGET_SLACK, judgeSummary, type SummaryBasis } from './acceptance.ts'
import { failureDetail } from './failure-detail.ts'
import type { ModelSummarizerOptions } from './model-options.ts'
import { chunksOf, type PieceChunk, splitText } from './piece-chunks.ts'
import type { Generated, GeneratePrompt, SummaryInput, SummaryRejection, SummaryUsage } from './summarizer.ts'
import { type SummaryPrompt, summaryPrompt } from './summary-prompt.ts'
import { type TranscriptPiece, transcriptPieces } from './transcript-pieces.ts'
import { untilAborted } from './until-aborted.ts'

const UNKNOWN_WINDOW = 128_000
const DEFAULT_ATTEMPTS = 2
const DEFAULT_CALLS = 12
/** An estimate may be this much too low, for a model whose tokens nobody counted here. */
const SAFETY = 1.2
/** Below this many tokens a call has no room for anything to summarise. */
export const LEAST_ROOM = 200
/** How often a request that was refused as too large is made smaller. */
const MOST_SHRINKS = 3

/** One summary by a model, from the first call to the last. Owns what it cost and what was refused. */
export class ModelRun {
  readonly rejected: SummaryRejection[] = []
  readonly #input: SummaryInput
  readonly #options: ModelSummarizerOptions
  readonly #signal: AbortSignal | undefined
  readonly #deadline: AbortSignal | undefined
  readonly #window: number
  readonly #attempts: number
  readonly #maxCalls: number
  readonly #maxOutput: number
  /** Tokens of a whole prompt, by our estimate. */
  readonly #inputRoom: number
  readonly #budget: number
  readonly #estimate: (text: string) => number
  #usage: SummaryUsage = { input: 0, output: 0 }
  #calls = 0
  #shrinks = 0
  /** Most tokens of the transcript in one call: less after each refusal. */
  #most: number

  constructor(input: SummaryInput, options: ModelSummarizerOptions, signal: AbortSignal | undefined) {
    this.#input = input
    this.#options = options
    this.#signal = signal
    this.#deadline = options.deadline === undefined ? undefined : AbortSignal.timeout(options.deadline)
    this.#window = windowOf(options, input)
    const { budget } = input.request
    const output = Math.min(options.maxOutput ?? Math.max(1_024, budget * 2), this.#window / 4)
    this.#attempts = options.attempts ?? DEFAULT_ATTEMPTS
    this.#maxCalls = options.maxCalls ?? DEFAULT_CALLS
    this.#maxOutput = Math.max(1, Math.floor(output))
    this.#inputRoom = (this.#window - this.#maxOutput) / (SAFETY * Math.max(1, input.scale ?? 1))
    // An answer that its output cap cuts is of no use, nor a rolling summary that leaves no room for what it is about.
    this.#budget = Math.min(budget, this.#maxOutput / BUDGET_SLACK)
    this.#estimate = remembered(input.estimate)
    this.#most = options.chunkTokens ?? Number.POSITIVE_INFINITY
  }

  /** Tokens of all calls so far, those of refused answers too. */
  get usage(): SummaryUsage {
    return this.#usage
  }

  /** Requests sent so far. */
  get calls(): number {
    return this.#calls
  }

  /** The summary; undefined when the model wrote none. `rejected` says why. */
  async write(): Promise<string | undefined> {
    const { pieces, earlier } = this.#material()
    if (pieces.length === 0) return this.#nothingNew(earlier)
    let summary = earlier
    let stands = this.#estimate(earlier)
    let done = 0
    while (done < pieces.length) {
      const rest = pieces.slice(done)
      const chunks = this.#chunks(rest, summary)
      const chunk = chunks?.[0]
      if (chunks === undefined || chunk === undefined) return this.#tooLarge()
      const answer = await this.#summarise(chunk, { rest, summary, stands, more: chunks.length > 1 })
      if (answer === 'failed') return undefined
      if (answer === 'too-large') continue
      summary = answer.text
      stands += this.#replaced(rest.slice(0, chunk.count))
      done += chunk.count
    }
    return summary
  }

  /** What there is to tell. An earlier summary that would fill a call by itself is read piece by piece like the transcript. */
  #material(): { readonly pieces: readonly TranscriptPiece[]; readonly earlier: string } {
    const { slices, request, told, lastUserMessage } = this.#input
    const pieces = transcriptPieces(slices, {
      ranges: request.ranges,
      ...(told !== undefined && { told }),
      ...(lastUserMessage !== undefined && { lastUserMessage }),
    })
    const earlier = request.previous.join('\n\n')
    const part = Math.max(LEAST_ROOM, Math.floor(this.#room('') / 2))
    const fits = this.#estimate(earlier) <= (pieces.length === 0 ? request.budget * BUDGET_SLACK : part)
    if (earlier === '' || fits) return { pieces, earlier }
    const parts = splitText(earlier, part, this.#estimate).map(
      (text) => ({ kind: 'earlier', head: 'earlier summary', text, stays: false }) as const,
    )
    return { pieces: [...parts, ...pieces], earlier: '' }
  }

  /** A compaction without anything new changes nothing. */
  #nothingNew(earlier: string): string | undefined {
    if (earlier !== '') return earlier
    this.rejected.push({ reason: 'nothing-said', detail: 'There is nothing to summarise.' })
    return undefined
  }

  #chunks(rest: readonly TranscriptPiece[], summary: string): readonly PieceChunk[] | undefined {
    const room = this.#room(summary)
    const most = this.#maxCalls - this.#calls
    return room < LEAST_ROOM || most < 1 ? undefined : chunksOf(rest, { room, most, estimate: this.#estimate })
  }

  /** Tokens of the transcript that the next call has room for. */
  #room(summary: string): number {
    const frame = summaryPrompt({ ...this.#about(summary), pieces: [], more: true, refused: 'repeats-input' })
    const left = this.#inputRoom - this.#estimate(frame.system) - this.#estimate(frame.user)
    return Math.floor(Math.min(this.#most, left))
  }

  #tooLarge(): undefined {
    const detail = `The input does not fit into ${this.#maxCalls} calls of a model with a window of ${this.#window} tokens.`
    this.rejected.push({ reason: 'input-too-large', detail })
    return undefined
  }

  #about(summary: string) {
    const { request, mode, lastUserMessage } = this.#input
    return {
      earlier: summary,
      budget: this.#budget,
      mode,
      keepsLastUserMessage: request.lastUserMessage !== undefined || lastUserMessage !== undefined,
      ...(request.focus !== undefined && { focus: request.focus }),
    }
  }

  /** The summary with this chunk in it. */
  async #summarise(chunk: PieceChunk, asked: Asked): Promise<{ readonly text: string } | 'failed' | 'too-large'> {
    const basis = this.#basis(chunk, asked)
    let refused: SummaryRejection['reason'] | undefined
    let overlong: string | undefined
    for (let attempt = 0; attempt < this.#attempts && this.#calls < this.#maxCalls; attempt += 1) {
      const answer = await this.#ask(chunk, asked, refused)
      if (answer.kind === 'too-large') return this.#shrink(chunk, answer.detail)
      const judged = answer.kind === 'failed' ? answer : judgeSummary(answer.generated, { ...basis, mark: answer.mark })
      if (!('rejection' in judged)) return judged
      this.rejected.push(judged.rejection)
      refused = judged.rejection.reason
      if (refused === 'deadline') return 'failed'
      if ('text' in judged) overlong = shorter(overlong, judged.text)
    }
    // A good summary that will not become short enough is worth more than none: it is cut.
    const cut = fitTokens(overlong ?? '', basis.budget * BUDGET_SLACK, this.#estimate)
    return cut === '' ? 'failed' : { text: cut }
  }

  /** Tokens of what a summary of these takes the place of: what stays in the view is not replaced. */
  #replaced(pieces: readonly TranscriptPiece[]): number {
    return pieces.reduce((sum, { stays, text }) => sum + (stays ? 0 : this.#estimate(text)), 0)
  }

  #basis(chunk: PieceChunk, { rest, stands }: Asked): SummaryBasis {
    const pieces = rest.slice(0, chunk.count)
    const lastReply = pieces.findLast(({ kind }) => kind === 'reply')?.text
    return {
      estimate: this.#estimate,
      replaced: stands + this.#replaced(pieces),
      budget: this.#budget,
      read: pieces.flatMap(({ kind }, index) => (kind === 'earlier' ? [] : [chunk.shown[index]?.text ?? ''])),
      ...(lastReply !== undefined && { lastReply }),
    }
  }

  async #ask(
    chunk: PieceChunk,
    { summary, more }: Asked,
    refused: SummaryRejection['reason'] | undefined,
  ): Promise<Answer> {
    const about = { ...this.#about(summary), pieces: chunk.shown, more }
    const prompt = summaryPrompt({ ...about, ...(refused !== undefined && { refused }) })
    const size = Math.ceil(this.#estimate(prompt.system) + this.#estimate(prompt.user))
    if (!(size <= this.#inputRoom)) return { kind: 'too-large', detail: `A request of ${size} tokens is too large.` }
    return this.#call(prompt, size)
  }

  async #call({ system, user, mark }: SummaryPrompt, size: number): Promise<Answer> {
    const { generate, model, isOverflow } = this.#options
    const { session } = this.#input
    const signal = joined(this.#signal, this.#deadline)
    this.#calls += 1
    try {
      const whole: GeneratePrompt = {
        system,
        user,
        maxOutputTokens: this.#maxOutput,
        ...(model !== undefined && { model }),
        ...(session !== undefined && { session }),
      }
      const call = signal === undefined ? {} : { signal }
      const generated = wellShaped(await untilAborted(async () => generate(whole, call), signal))
      this.#usage = sum(this.#usage, generated.usage)
      return { kind: 'answered', generated, mark }
    } catch (error) {
      this.#signal?.throwIfAborted()
      if (this.#deadline?.aborted === true) return failed('deadline', `${this.#options.deadline} ms were not enough.`)
      if (recognises(isOverflow, error))
        return { kind: 'too-large', detail: `A request of ${size} tokens was refused.` }
      return failed('failed', failureDetail(error))
    }
  }

  /** The next request has at most half of the transcript that the refused one had. */
  #shrink(chunk: PieceChunk, detail: string): 'failed' | 'too-large' {
    this.rejected.push({ reason: 'input-too-large', detail })
    this.#shrinks += 1
    const tokens = chunk.shown.reduce((total, { head, text }) => total + this.#estimate(head) + this.#estimate(text), 0)
    this.#most = Math.min(this.#most, tokens) / 2
    return this.#shrinks > MOST_SHRINKS || !(this.#most >= LEAST_ROOM) ? 'failed' : 'too-large'
  }
}

/** What one call is about: the pieces that are left, the summary so far, what that stands for, and whether more calls follow. */
interface Asked {
  readonly rest: readonly TranscriptPiece[]
  readonly summary: string
  /** Tokens of all that was told so far, and of the earlier summary that this one began with. */
  readonly stands: number
  readonly more: boolean
}

type Answer =
  | { readonly kind: 'answered'; readonly generated: Generated; readonly mark: string }
  | { readonly kind: 'failed'; readonly rejection: SummaryRejection }
  | { readonly kind: 'too-large'; readonly detail: string }

function failed(reason: SummaryRejection['reason'], detail: string): Answer {
  return { kind: 'failed', rejection: { reason, detail } }
}

function windowOf({ window, model }: ModelSummarizerOptions, input: SummaryInput): number {
  const known = typeof window === 'function' ? window(model ?? input.model) : window
  const most = known !== undefined && known > 0 ? known : UNKNOWN_WINDOW
  return model === undefined ? Math.min(most, input.refused ?? most) : most
}

function joined(signal: AbortSignal | undefined, deadline: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || deadline === undefined) return signal ?? deadline
  return AbortSignal.any([signal, deadline])
}

/** `generate` is the caller's: what it gives back may be anything. */
function wellShaped(generated: Generated): Generated {
  const text: unknown = generated?.text
  if (typeof text === 'string') return generated
  return { ...generated, text: '', finish: generated?.finish ?? 'other' }
}

function recognises(isOverflow: ((error: unknown) => boolean) | undefined, error: unknown): boolean {
  try {
    return isOverflow?.(error) === true
  } catch {
    return false
  }
}

function sum(usage: SummaryUsage, more: Generated['usage']): SummaryUsage {
  const tokens = (count: number | undefined) => (count !== undefined && count > 0 && Number.isFinite(count) ? count : 0)
  return { input: usage.input + tokens(more?.input), output: usage.output + tokens(more?.output) }
}

function shorter(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return other.length < one.length ? other : one
}
