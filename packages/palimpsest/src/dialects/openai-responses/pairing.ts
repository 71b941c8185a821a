import { answers, idOf, isKnownFamily, kindOf, mayStayOpen, pairIdOf } from './families.ts'
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
 * Pairs calls with outputs in order of appearance, so an id may come again once its first call is answered. An output whose
 * call is a reference to a stored item counts as paired: a reference does not tell its call id.
 */
export function pairingFaults(items: readonly ResponsesItem[]): readonly PairingFault[] {
  const book = new PairingBook()
  items.forEach((item, index) => {
    const kind = kindOf(item)
    if (kind === 'reference') book.reference(item)
    else if (kind === 'approval-request') book.request(item)
    else if (kind === 'approval-response') book.response(item, index)
    else if (kind === 'call' && isKnownFamily(item)) book.call(item, index)
    else if (kind === 'output' && isKnownFamily(item)) book.output(item, index)
  })
  return book.close()
}

class PairingBook {
  readonly #faults: PairingFault[] = []
  readonly #open = new Map<string, { readonly call: ResponsesItem; readonly index: number }>()
  readonly #answered = new Set<string>()
  readonly #requests = new Set<string>()
  #references = 0

  reference(item: ResponsesItem): void {
    // Ids of reasoning and of messages say so; anything else may be a call.
    if (!/^(rs|msg)_/.test(idOf(item) ?? '')) this.#references++
  }

  request(item: ResponsesItem): void {
    const id = pairIdOf(item)
    if (id !== undefined) this.#requests.add(id)
  }

  response(item: ResponsesItem, index: number): void {
    if (this.#requests.delete(pairIdOf(item) ?? '')) return
    if (!this.#takeReference()) this.#note(index, 'approval-without-request')
  }

  call(call: ResponsesItem, index: number): void {
    const id = pairIdOf(call)
    if (id === undefined) this.#note(index, 'missing-call-id')
    else if (this.#open.has(id)) this.#note(index, 'duplicate-call')
    else this.#open.set(id, { call, index })
  }

  output(output: ResponsesItem, index: number): void {
    const id = pairIdOf(output)
    const entry = this.#open.get(id ?? '')
    if (id === undefined) this.#note(index, 'missing-call-id')
    else if (entry !== undefined) {
      if (!answers(output, entry.call)) this.#note(index, 'output-of-other-kind')
      this.#open.delete(id)
      this.#answered.add(id)
    } else if (this.#answered.has(id)) this.#note(index, 'duplicate-output')
    else if (!this.#takeReference()) this.#note(index, 'output-without-call')
  }

  close(): readonly PairingFault[] {
    for (const { call, index } of this.#open.values()) {
      if (!mayStayOpen(call)) this.#note(index, 'call-without-output')
    }
    return this.#faults.sort((a, b) => a.index - b.index)
  }

  #takeReference(): boolean {
    if (this.#references === 0) return false
    this.#references--
    return true
  }

  #note(index: number, fault: PairingFault['fault']): void {
    this.#faults.push({ index, fault })
  }
}
