import type { Prepared } from '../../compactor/compactor.ts'
import type { OverflowFacts, StreamReader } from '../../dialects/dialect.ts'
import type { StreamEvents } from '../../wire/stream-events.ts'
import { lateAfter } from './late-after.ts'

/** What stands beside a stream while it passes. */
export interface StreamWatch {
  readonly events: StreamEvents
  readonly reader: StreamReader
  readonly prepared: Pick<Prepared<unknown>, 'size' | 'window' | 'observeUsage' | 'done' | 'markOverflow'>
  readonly holdMilliseconds: number
}

type StreamRead = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

/** Bytes that are held back at most: an opening that repeats a whole request has fewer. */
const MAX_HELD_BYTES = 8 * 1024 * 1024

/**
 * A streamed answer that shows nothing before its first content. From then on its bytes pass piece by piece as they come,
 * read along but never changed; nothing is read ahead of the one who takes them.
 */
export class HeldStream {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>
  readonly #watch: StreamWatch
  #held: Uint8Array[] = []
  #heldBytes = 0
  /** A read that was begun while the stream was held, and has not ended. */
  #pending: Promise<StreamRead> | undefined
  #isMarked = false
  #isOver = false

  constructor(body: ReadableStream<Uint8Array>, watch: StreamWatch) {
    this.#source = body.getReader()
    this.#watch = watch
    // a connection that breaks, or that the caller breaks off, while nobody reads
    this.#source.closed.catch(() => this.#settle())
  }

  /**
   * Reads up to the first content, a failure, the end, or for as long as streams are held. Gives the facts where the
   * answer says before any content that the input did not fit.
   */
  async hold(): Promise<OverflowFacts | undefined> {
    const { reader, holdMilliseconds } = this.#watch
    const late = lateAfter(holdMilliseconds)
    try {
      while (!reader.started && this.#heldBytes < MAX_HELD_BYTES) {
        this.#pending ??= this.#source.read()
        const read = await Promise.race([this.#pending.catch(() => undefined), late.promise])
        // too late, or broken: whoever takes the stream gets what there is, and then what comes
        if (read === undefined) return undefined
        this.#pending = undefined
        if (read.done) return this.#endOfHeld(read)
        this.#held.push(read.value)
        this.#heldBytes += read.value.length
        this.#push(this.#watch.events.push(read.value))
        const facts = reader.started ? undefined : this.#overflow()
        if (facts !== undefined || reader.failure !== undefined) return facts
      }
      return undefined
    } finally {
      late.cancel()
    }
  }

  #endOfHeld(read: StreamRead): OverflowFacts | undefined {
    this.#push(this.#watch.events.end())
    this.#pending = Promise.resolve(read)
    return this.#watch.reader.started ? undefined : this.#overflow()
  }

  /** The stream from its first byte on. To be taken once. */
  passing(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#pass(controller),
        cancel: (reason) => {
          this.#settle()
          return this.#source.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Gives the stream up: nobody sees it, and another answer takes its place. */
  async discard(): Promise<void> {
    this.#isOver = true
    await this.#source.cancel().catch(() => {})
  }

  async #pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const held = this.#held.shift()
    if (held !== undefined) return controller.enqueue(held)
    const pending = this.#pending ?? this.#source.read()
    this.#pending = undefined
    const read = await pending
    if (read.done) {
      this.#push(this.#watch.events.end())
      this.#settle()
      return controller.close()
    }
    controller.enqueue(read.value)
    this.#push(this.#watch.events.push(read.value))
    // as soon as it is known: callers stop reading at what they take for the end
    if (this.#watch.reader.failure !== undefined || this.#watch.reader.finished) this.#mark()
  }

  #push(events: readonly unknown[]): void {
    for (const event of events) this.#watch.reader.push(event)
  }

  #overflow(): OverflowFacts | undefined {
    const { reader, prepared } = this.#watch
    return reader.overflow({ size: prepared.size.tokens, window: prepared.window ?? Number.POSITIVE_INFINITY })
  }

  /** An overflow that was seen too late for a retry. */
  #mark(): void {
    if (this.#isMarked) return
    const facts = this.#overflow()
    if (facts === undefined) return
    this.#isMarked = true
    this.#watch.prepared.markOverflow(facts)
  }

  /** The answer is over, one way or another: what it told is taken. */
  #settle(): void {
    if (this.#isOver) return
    this.#isOver = true
    const { reader, prepared } = this.#watch
    const usage = reader.usage()
    if (usage !== undefined) prepared.observeUsage(usage)
    this.#mark()
    prepared.done()
  }
}
