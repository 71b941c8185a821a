/**
 * A conversation in no format at all, for exports alone: what every format can say of it. Lossy by nature, so nothing that
 * is sent by the library ever goes through it.
 */
export interface NeutralConversation {
  /** Texts that lead the request. */
  readonly system: readonly string[]
  readonly messages: readonly NeutralMessage[]
  readonly tools: readonly NeutralTool[]
  readonly settings: NeutralSettings
}

export interface NeutralMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly NeutralPart[]
  /** The item it came from. */
  readonly position: number
}

export type NeutralPart = NeutralContent | NeutralReasoning | NeutralCall | NeutralResult

export type NeutralContent = NeutralText | NeutralMedia

export interface NeutralText {
  readonly kind: 'text'
  readonly text: string
}

export interface NeutralReasoning {
  readonly kind: 'reasoning'
  readonly text: string
  /** A signature of the provider stands on it, which no other format takes. */
  readonly signed: boolean
}

export interface NeutralCall {
  readonly kind: 'call'
  readonly id: string | undefined
  readonly name: string
  readonly args: unknown
  /** The arguments as JSON text, where the format writes them so: spelling and digits survive. */
  readonly text?: string
}

export interface NeutralResult {
  readonly kind: 'result'
  readonly id: string | undefined
  readonly name: string | undefined
  readonly content: readonly NeutralContent[]
  readonly isError: boolean
}

/** A picture, file or recording. It has data (base64), an address, or, a plain text file, its words. */
export interface NeutralMedia {
  readonly kind: 'media'
  readonly type: 'image' | 'document' | 'audio' | 'video'
  readonly mimeType: string | undefined
  readonly name: string | undefined
  readonly source: MediaSource
}

export type MediaSource =
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'text'; readonly text: string }

export interface NeutralTool {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments. */
  readonly schema: unknown
}

export interface NeutralSettings {
  readonly model?: string
  readonly outputCap?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
}

export function neutralText(text: string): NeutralText {
  return { kind: 'text', text }
}

/** The media in base64, an address, or a data URL, which holds both type and data. */
export function neutralMedia(
  type: NeutralMedia['type'],
  source: MediaSource,
  facts: { readonly mimeType?: unknown; readonly name?: unknown } = {},
): NeutralMedia {
  const head = source.kind === 'url' ? DATA_URL.exec(source.url) : null
  const stated = typeof facts.mimeType === 'string' ? facts.mimeType : undefined
  return {
    kind: 'media',
    type,
    mimeType: head?.[1] || stated,
    name: typeof facts.name === 'string' && facts.name !== '' ? facts.name : undefined,
    source: head === null || source.kind !== 'url' ? source : { kind: 'data', data: source.url.slice(head[0].length) },
  }
}

/** A data URL with its type and data; undefined where there is an address alone. */
export function urlOf(media: NeutralMedia, mimeType: string): string | undefined {
  if (media.source.kind === 'url') return media.source.url
  return media.source.kind === 'data' ? `data:${media.mimeType ?? mimeType};base64,${media.source.data}` : undefined
}

/** What stands for media that a format cannot take. */
export function mediaNote(media: NeutralMedia): string {
  const what = [media.name, media.mimeType].filter((fact) => fact !== undefined).join(', ')
  return `[${media.type}${what === '' ? '' : `: ${what}`}]`
}

export function mediaTypeOf(mimeType: string): NeutralMedia['type'] {
  const family = /^(image|audio|video)\b/.exec(mimeType)?.[1]
  return family === undefined ? 'document' : (family as NeutralMedia['type'])
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i
