import { type Fields, isObject } from '../json-fields.ts'

/** A cache breakpoint: what stands before it in the request may be cached. `5m` where no time to live is given. */
export interface CachePoint {
  type: 'default'
  ttl?: '5m' | '1h'
}

/**
 * One content block: exactly one member says what it is. Members come from the wire or from the SDK and may be of any
 * shape; a member that this library does not know is kept.
 */
export interface BedrockBlock {
  readonly text?: unknown
  readonly image?: unknown
  readonly document?: unknown
  readonly video?: unknown
  readonly audio?: unknown
  readonly toolUse?: unknown
  readonly toolResult?: unknown
  readonly reasoningContent?: unknown
  readonly guardContent?: unknown
  readonly citationsContent?: unknown
  readonly searchResult?: unknown
  readonly toolAddition?: unknown
  readonly toolRemoval?: unknown
  readonly json?: unknown
  readonly cachePoint?: unknown
}

/** One entry of `messages`. Binary data is base64 text in a JSON body and a `Uint8Array` in an object for the SDK. */
export interface BedrockMessage {
  readonly role?: string | undefined
  readonly content?: readonly BedrockBlock[] | undefined
}

/** A Converse request. Fields that are not named here survive untouched. */
export interface BedrockRequest {
  readonly modelId?: string | undefined
  readonly messages?: readonly BedrockMessage[] | undefined
  readonly system?: readonly BedrockBlock[] | undefined
  readonly inferenceConfig?: { readonly maxTokens?: number | undefined } | undefined
  readonly toolConfig?: { readonly tools?: readonly unknown[] | undefined } | undefined
  readonly additionalModelRequestFields?: unknown
}

/** A text block as this library makes it. */
export interface CreatedText {
  text: string
}

/** A message as this library makes it: a summary. */
export interface CreatedMessage {
  role: 'user'
  content: CreatedText[]
}

export function createdText(text: string): CreatedText {
  return { text }
}

export function createdSummary(text: string): CreatedMessage {
  return { role: 'user', content: [createdText(text)] }
}

/** The blocks of a message, cache points among them; none where there is no list. */
export function blocksOf(message: BedrockMessage): readonly BedrockBlock[] {
  const content: unknown = isObject(message) ? message.content : undefined
  return Array.isArray(content) ? content : []
}

/** The blocks that count as parts: cache points move from request to request, so they have no number. */
export function partsOf(message: BedrockMessage): readonly BedrockBlock[] {
  const blocks = blocksOf(message)
  return blocks.some(isCachePoint) ? blocks.filter((block) => !isCachePoint(block)) : blocks
}

export function roleOf(message: BedrockMessage): string {
  return isObject(message) && typeof message.role === 'string' ? message.role : ''
}

/** The name of the member that a block has; empty for what is no block at all. */
export function memberOf(block: BedrockBlock): string {
  if (!isObject(block)) return ''
  let unknown = ''
  for (const key of Object.keys(block)) {
    if (block[key] === undefined || block[key] === null) continue
    if (MEMBERS.has(key)) return key
    if (unknown === '') unknown = key
  }
  return unknown
}

const MEMBERS: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'video',
  'audio',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'guardContent',
  'citationsContent',
  'searchResult',
  'toolAddition',
  'toolRemoval',
  'json',
  'cachePoint',
])

export function isCachePoint(block: unknown): boolean {
  return isObject(block) && isObject(block.cachePoint)
}

export function isReasoning(block: BedrockBlock): boolean {
  return memberOf(block) === 'reasoningContent'
}

/** A call of the client's tool; undefined for any other block, and for calls that the provider answers itself. */
export function clientCall(block: BedrockBlock): Fields | undefined {
  if (memberOf(block) !== 'toolUse' || !isObject(block.toolUse)) return undefined
  return block.toolUse.type === 'server_tool_use' ? undefined : block.toolUse
}

/** A call that the provider answers itself, inside the same message. */
export function serverCall(block: BedrockBlock): Fields | undefined {
  if (memberOf(block) !== 'toolUse' || !isObject(block.toolUse)) return undefined
  return block.toolUse.type === 'server_tool_use' ? block.toolUse : undefined
}

export function toolResult(block: BedrockBlock): Fields | undefined {
  return memberOf(block) === 'toolResult' && isObject(block.toolResult) ? block.toolResult : undefined
}

export function isBlockList(value: unknown): value is readonly BedrockBlock[] {
  return Array.isArray(value)
}
