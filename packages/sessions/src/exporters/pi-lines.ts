import { present } from '../importers/json-fields.ts'
import type { Marker } from './compaction-marker.ts'
import type { ExportedSession, ExportView } from './exported-session.ts'
import type { LossTally } from './loss-tally.ts'
import { apiOf, type PiMessage, piMessages, toolNames } from './pi-messages.ts'
import { type ItemStep, isoTime, type MarkerStep, sessionSteps, uuidOf } from './session-steps.ts'

/** The lines of a pi session file, version 3: a header, then entries, each the child of the one before. */
export function piLines(session: ExportedSession, view: ExportView, losses: LossTally): readonly object[] {
  const steps = sessionSteps(session, view, losses)
  const items = steps.flatMap((step) => (step.kind === 'item' ? [step] : []))
  const names = toolNames(items.map(({ item }) => item))
  const file = new PiFile(session, losses)
  file.expect(items.map((step) => ({ step, messages: piMessages(step, { names, session, losses }) })))
  for (const step of steps) {
    if (step.kind === 'item') file.item(step)
    else file.marker(step)
  }
  return file.lines()
}

interface PiItem {
  readonly step: ItemStep
  readonly messages: readonly PiMessage[]
}

class PiFile {
  readonly #session: ExportedSession
  readonly #losses: LossTally
  readonly #entries: object[] = []
  readonly #ids = new Set<string>()
  readonly #items = new Map<ItemStep, { readonly messages: readonly PiMessage[]; readonly ids: readonly string[] }>()
  #parent: string | null = null

  constructor(session: ExportedSession, losses: LossTally) {
    this.#session = session
    this.#losses = losses
    const { model, createdAt } = session
    if (model === undefined) return
    const { provider } = apiOf(session.dialect)
    this.#append({ type: 'model_change', provider, modelId: model }, this.#newId(`${session.id}model`), createdAt)
  }

  /** The items that will come: compactions name the first entry that was kept. */
  expect(items: readonly PiItem[]): void {
    for (const { step, messages } of items) {
      if (messages.length === 0) this.#losses.add('empty message', step.position)
      this.#items.set(step, { messages, ids: messages.map((_, part) => this.#newId(`${step.seed}${part}`)) })
    }
  }

  item(step: ItemStep): void {
    const { messages = [], ids = [] } = this.#items.get(step) ?? {}
    for (const [part, message] of messages.entries()) {
      const body =
        message.role === 'custom'
          ? { type: 'custom_message', customType: 'injected', content: message.content, display: false }
          : { type: 'message', message: { ...message, timestamp: step.timestamp } }
      this.#append(body, ids[part] ?? '', step.timestamp)
    }
  }

  marker({ marker, position, seed, timestamp }: MarkerStep): void {
    const { kind, trigger, tokensBefore, tokensAfter, summary } = marker
    const id = this.#newId(seed)
    const facts = present({ trigger: trigger === 'unknown' ? undefined : trigger, tokensAfter })
    if (kind !== 'summary' || summary === undefined) {
      if (kind === 'micro') this.#losses.add('compaction without a summary (a note marks its place)', position)
      const data = { kind, ...facts, ...present({ tokensBefore }) }
      this.#append({ type: 'custom', customType: COMPACTION_NOTE, data }, id, timestamp)
      return
    }
    for (const kept of marker.keptBefore) this.#losses.add('message kept before the others (pi keeps none of it)', kept)
    const details = Object.keys(facts).length === 0 ? {} : { details: { [COMPACTION_NOTE]: facts } }
    // No entry has an empty id: then nothing older was kept.
    const firstKeptEntryId = this.#firstKept(marker) ?? ''
    this.#append(
      { type: 'compaction', summary, firstKeptEntryId, tokensBefore: tokensBefore ?? 0, ...details },
      id,
      timestamp,
    )
  }

  lines(): readonly object[] {
    const { id, cwd, createdAt, title } = this.#session
    const header = { type: 'session', version: 3, id, timestamp: isoTime(createdAt), cwd: cwd ?? '' }
    if (title !== undefined) this.#append({ type: 'session_info', name: title }, this.#newId(`${id}title`), createdAt)
    return [header, ...this.#entries]
  }

  #firstKept({ keptFrom }: Marker): string | undefined {
    if (keptFrom === undefined) return undefined
    for (const [{ position }, { ids }] of this.#items) if (position >= keptFrom && ids.length > 0) return ids[0]
    return undefined
  }

  #append(body: object, id: string, timestamp: number): void {
    const { type, ...rest } = body as { readonly type: string }
    this.#entries.push({ type, id, parentId: this.#parent, timestamp: isoTime(timestamp), ...rest })
    this.#parent = id
  }

  /** Eight digits, as pi has them; more where two would be the same. */
  #newId(seed: string): string {
    const digits = uuidOf(seed).replaceAll('-', '') + uuidOf(`${seed}more`).replaceAll('-', '')
    let length = ID_LENGTH
    while (this.#ids.has(digits.slice(0, length)) && length < digits.length) length++
    const id = digits.slice(0, length)
    this.#ids.add(id)
    return id
  }
}

const ID_LENGTH = 8

/** Marks what only this library knows of a compaction: pi keeps it, and shows it to no model. */
const COMPACTION_NOTE = 'palimpsest-compaction'
