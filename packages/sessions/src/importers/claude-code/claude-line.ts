import type { Usage } from 'palimpsest'
import type { SaidLine } from '../anthropic-transcript.ts'
import type { RecordedCompaction } from '../imported-session.ts'
import { countOf, type Fields, fieldsOf, isFields, listOf, present, textOf, timeOf } from '../json-fields.ts'

/**
 * One line of a Claude Code session file, with only what the transcript needs of it. Lines of every kind are kept as
 * links: the chain of parents runs through progress, hook and attachment lines too.
 */
export interface ClaudeLine {
  readonly line: number
  /** Its place among the records of the file. */
  readonly order: number
  readonly uuid: string | undefined
  /** `null`: the line begins a conversation. `undefined`: the file does not say, the line before is the parent. */
  readonly parent: string | null | undefined
  readonly sidechain: boolean
  readonly timestamp: number | undefined
  readonly body: ClaudeBody
}

/** What a line says. */
export type ClaudeBody =
  | { readonly kind: 'message'; readonly message: ClaudeMessage }
  | { readonly kind: 'compaction'; readonly compaction: ClaudeCompaction }
  /** The client's summary, written as a user message behind the boundary. */
  | { readonly kind: 'summary'; readonly text: string }
  /** Nothing that was sent to the model as it stands: a link in the chain only. `reason` is why it is skipped. */
  | { readonly kind: 'link'; readonly reason: string }

export interface ClaudeMessage {
  readonly role: string
  readonly content: string | readonly unknown[]
  /** The id of the model's answer; the lines of one answer share it. */
  readonly answer: string | undefined
  readonly model: string | undefined
  readonly usage: Usage | undefined
  /** Written by the client in the user's name. */
  readonly injected: boolean
}

export interface ClaudeCompaction extends Pick<RecordedCompaction, 'trigger' | 'tokensBefore' | 'tokensAfter'> {
  readonly kind: RecordedCompaction['kind']
  /** First and last original message that the client kept in view behind its summary. */
  readonly kept: { readonly head: string | undefined; readonly tail: string | undefined } | undefined
}

/** A message line of the conversation, on its way into an item. */
export interface ClaudeSaid extends SaidLine {
  readonly source: ClaudeLine
  /** Its place in the conversation, as `mainChain` gives it. */
  readonly rank: number
}

/** The line that a record is. Never throws. */
export function claudeLine(record: Fields, line: number, order: number): ClaudeLine {
  return {
    line,
    order,
    uuid: textOf(record.uuid),
    parent: parentOf(record),
    sidechain: record.isSidechain === true || typeof record.parent_tool_use_id === 'string',
    timestamp: timeOf(record.timestamp),
    body: bodyOf(record),
  }
}

/** A boundary is a root in the tree; `logicalParentUuid` names the last message before it. */
function parentOf(record: Fields): string | null | undefined {
  const logical = textOf(record.logicalParentUuid)
  if (logical !== undefined && record.parentUuid === null) return logical
  if (record.parentUuid === null) return record.subtype === 'compact_boundary' ? undefined : null
  return textOf(record.parentUuid)
}

function bodyOf(record: Fields): ClaudeBody {
  if (record.type === 'user' || record.type === 'assistant') return spoken(record)
  if (record.type === 'attachment') return attachment(fieldsOf(record.attachment))
  if (record.type === 'system') return system(record)
  return { kind: 'link', reason: typeof record.type === 'string' ? 'client record' : 'unknown record' }
}

function spoken(record: Fields): ClaudeBody {
  const message = fieldsOf(record.message)
  const content = message.content
  const known = typeof content === 'string' || Array.isArray(content)
  if (!known || typeof message.role !== 'string') return { kind: 'link', reason: 'unknown record' }
  if (isClientError(record, message)) return { kind: 'link', reason: 'client error message' }
  if (content.length === 0) return { kind: 'link', reason: 'empty message' }
  if (record.isCompactSummary === true) return { kind: 'summary', text: plainText(content) }
  // `isMeta` lines (skill texts, caveats, continuation prompts) are hidden from the user, not from the model: they were
  // sent, in the user's name. So was whatever `isVisibleInTranscriptOnly` marks: it is about the screen.
  return messageBody(message.role, content, message, record.isMeta === true && message.role === 'user')
}

/** A failed call leaves an assistant message that the client wrote itself; it is shown, and left out of every request. */
function isClientError(record: Fields, message: Fields): boolean {
  if (record.isApiErrorMessage === true) return true
  return message.model === SYNTHETIC_MODEL && plainText(message.content).startsWith('API Error')
}

/**
 * Attachments are rendered into reminders when a request is made, and the rendered text is not recorded: they cannot be
 * given back as they were sent. A command that waited in the queue holds the user's own words: they are kept.
 */
function attachment(fields: Fields): ClaudeBody {
  const prompt = fields.prompt
  const isPrompt = typeof prompt === 'string' || Array.isArray(prompt)
  if (fields.type !== 'queued_command' || !isPrompt || prompt.length === 0)
    return { kind: 'link', reason: 'attachment' }
  return messageBody('user', prompt, NO_FIELDS)
}

/** The echo of a local command is sent with the next request, as user text; the other system lines are for the screen. */
function system(record: Fields): ClaudeBody {
  if (record.subtype === 'compact_boundary') {
    return { kind: 'compaction', compaction: boundary(fieldsOf(record.compactMetadata ?? record.compact_metadata)) }
  }
  if (record.subtype === 'microcompact_boundary') {
    return { kind: 'compaction', compaction: microBoundary(fieldsOf(record.microcompactMetadata)) }
  }
  const content = textOf(record.content)
  if (record.subtype === 'local_command' && content !== undefined) return messageBody('user', content, NO_FIELDS)
  return { kind: 'link', reason: 'client record' }
}

function boundary(metadata: Fields): ClaudeCompaction {
  const segment = fieldsOf(metadata.preservedSegment)
  const kept = listOf(fieldsOf(metadata.preservedMessages).uuids)
  const head = textOf(kept[0]) ?? textOf(segment.headUuid)
  const tail = textOf(kept.at(-1)) ?? textOf(segment.tailUuid)
  return {
    // What exports of encrypted compactions leave in their place; the client itself has none.
    kind: metadata.opaque === true ? 'opaque' : 'summary',
    trigger: triggerOf(metadata),
    kept: head === undefined && tail === undefined ? undefined : { head, tail },
    ...present({
      tokensBefore: countOf(metadata.preTokens ?? metadata.pre_tokens),
      tokensAfter: countOf(metadata.postTokens ?? metadata.post_tokens),
    }),
  }
}

function microBoundary(metadata: Fields): ClaudeCompaction {
  const tokensBefore = countOf(metadata.preTokens)
  const saved = countOf(metadata.tokensSaved)
  const tokensAfter = tokensBefore === undefined || saved === undefined ? undefined : Math.max(0, tokensBefore - saved)
  return { kind: 'micro', trigger: triggerOf(metadata), kept: undefined, ...present({ tokensBefore, tokensAfter }) }
}

function triggerOf(metadata: Fields): 'auto' | 'manual' | 'unknown' {
  return metadata.trigger === 'auto' || metadata.trigger === 'manual' ? metadata.trigger : 'unknown'
}

function messageBody(
  role: string,
  content: string | readonly unknown[],
  message: Fields,
  injected = false,
): ClaudeBody {
  const model = textOf(message.model)
  const answered = role === 'assistant' && model !== SYNTHETIC_MODEL
  return {
    kind: 'message',
    message: {
      role,
      content,
      answer: role === 'assistant' ? textOf(message.id) : undefined,
      model: answered ? model : undefined,
      usage: answered ? usageOf(message.usage) : undefined,
      injected,
    },
  }
}

function usageOf(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined
  const cacheRead = countOf(value.cache_read_input_tokens) ?? 0
  const cacheWrite = countOf(value.cache_creation_input_tokens) ?? 0
  const input = (countOf(value.input_tokens) ?? 0) + cacheRead + cacheWrite
  const output = countOf(value.output_tokens) ?? 0
  return input + output === 0 ? undefined : { input, cacheRead, cacheWrite, output }
}

/** The text blocks of a message, joined by newlines. */
function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = listOf(content).map((block) => textOf(fieldsOf(block).text))
  return texts.filter((text) => text !== undefined).join('\n')
}

const SYNTHETIC_MODEL = '<synthetic>'
const NO_FIELDS: Fields = {}
