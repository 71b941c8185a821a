import {
  answers,
  idOf,
  isCallReference,
  isKnownFamily,
  isModelSaid,
  kindOf,
  mayStayOpen,
  pairIdOf,
} from './families.ts'
import type { ResponsesItem } from './items.ts'

/** A call or output, by its index, that does not have the one partner it needs. */
export interface PairingFault {
  readonly index: number
  readonly fault:
    | 'call-without-output'
    | 'output-without-call'
    | 'duplicate-call'
    | 'duplicate-output'
    | 'output-of-other-kind'
    | 'approval-without-request'
    | 'missing-call-id'
}

/**
 * Pairs calls with outputs in order of appearance, so an id may come again once its first call is answered. A reference does
 * not tell its call id: references and the outputs that answer none of the written calls pair by their number within a
 * step; where the numbers differ nobody can tell which one is alone, so all of them count as alone. `cuts` are indexes that
 * something was taken away before: a step does not reach across them.
 */
export function pairingFaults(
  items: readonly ResponsesItem[],
  cuts: ReadonlySet<number> = new Set(),
): readonly PairingFault[] {
  const book = new PairingBook()
  items.forEach((item, index) => {
    book.take(item, index, cuts.has(index))
  })
  return book.close()
}

class PairingBook {
  readonly #faults: PairingFault[] = []
  readonly #open = new Map<string, { readonly call: ResponsesItem; readonly index: number }>()
  readonly #answered = new Set<string>()
  readonly #requests = new Set<string>()
  readonly #step = new ReferenceStep()

  take(item: ResponsesItem, index: number, isCut: boolean): void {
    const kind = kindOf(item)
    if (isCut || this.#step.endsBefore(item)) this.#endStep()
    if (isAnswer(item)) this.#step.beginAnswers()
    if (kind === 'reference') this.#step.reference(item, index)
    else if (kind === 'approval-request') this.#requests.add(pairIdOf(item) ?? '')
    else if (kind === 'approval-response') this.#response(item, index)
    else if (kind === 'call' && isKnownFamily(item)) this.#call(item, index)
    else if (kind === 'output' && isKnownFamily(item)) this.#output(item, index)
  }

  close(): readonly PairingFault[] {
    this.#endStep()
    for (const { call, index } of this.#open.values()) {
      if (!mayStayOpen(call)) this.#note(index, 'call-without-output')
    }
    return this.#faults.sort((a, b) => a.index - b.index)
  }

  #response(item: ResponsesItem, index: number): void {
    if (this.#requests.delete(pairIdOf(item) ?? '')) return
    if (!this.#step.takeOther()) this.#note(index, 'approval-without-request')
  }

  #call(call: ResponsesItem, index: number): void {
    const id = pairIdOf(call)
    if (id === undefined) this.#note(index, 'missing-call-id')
    else if (this.#open.has(id)) this.#note(index, 'duplicate-call')
    else this.#open.set(id, { call, index })
  }

  #output(output: ResponsesItem, index: number): void {
    const id = pairIdOf(output)
    const entry = this.#open.get(id ?? '')
    if (id === undefined) this.#note(index, 'missing-call-id')
    else if (entry !== undefined) {
      if (!answers(output, entry.call)) this.#note(index, 'output-of-other-kind')
      this.#open.delete(id)
      this.#answered.add(id)
    } else if (this.#answered.has(id) && !this.#step.expectsOutputs) this.#note(index, 'duplicate-output')
    else this.#step.output(index)
  }

  #endStep(): void {
    const { calls, outputs } = this.#step.end()
    for (const index of calls) this.#note(index, 'call-without-output')
    for (const index of outputs) this.#note(index, 'output-without-call')
  }

  #note(index: number, fault: PairingFault['fault']): void {
    this.#faults.push({ index, fault })
  }
}

/** Ids of stored reasoning and messages, which nothing answers. */
const SAID_ID = /^(rs|msg)_/

/** References of one step, and the outputs that answer no call in full. */
class ReferenceStep {
  #calls: number[] = []
  /** References that may be calls or approval requests, or neither. */
  #others = 0
  #outputs: number[] = []
  #isAnswering = false

  get expectsOutputs(): boolean {
    return this.#calls.length + this.#others > this.#outputs.length
  }

  /** Does another step begin with this item? Outputs of one step stand together, or each behind its call. */
  endsBefore(item: ResponsesItem): boolean {
    return !isAnswer(item) && (this.#isAnswering || !isModelSaid(item))
  }

  beginAnswers(): void {
    this.#isAnswering = true
  }

  reference(item: ResponsesItem, index: number): void {
    if (isCallReference(item)) this.#calls.push(index)
    else if (!SAID_ID.test(idOf(item) ?? '')) this.#others++
  }

  output(index: number): void {
    this.#outputs.push(index)
  }

  takeOther(): boolean {
    if (this.#others === 0) return false
    this.#others--
    return true
  }

  /** Calls and outputs that are alone; nothing where their numbers fit. */
  end(): { readonly calls: readonly number[]; readonly outputs: readonly number[] } {
    const [calls, outputs] = [this.#calls, this.#outputs]
    const fits = outputs.length >= calls.length && outputs.length <= calls.length + this.#others
    this.#calls = []
    this.#outputs = []
    this.#others = 0
    this.#isAnswering = false
    return fits ? { calls: [], outputs: [] } : { calls, outputs }
  }
}

function isAnswer(item: ResponsesItem): boolean {
  const kind = kindOf(item)
  return kind === 'output' || kind === 'approval-response'
}
