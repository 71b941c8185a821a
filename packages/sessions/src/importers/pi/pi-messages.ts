import type { Usage } from 'palimpsest'
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf } from '../json-fields.ts'

/** A message of pi, turned into one of Anthropic's; or why there is none. */
export type PiMessage =
  | { readonly role: 'user' | 'assistant'; readonly content: string | readonly unknown[] }
  | { readonly skip: string }

/**
 * The message that pi makes of one of its own when it builds a request. pi's own message format is no wire format, so
 * calls become `tool_use`, results `tool_result` in a user message, notes of the client user text.
 */
export function piMessage(message: Fields): PiMessage {
  switch (message.role) {
    case 'user':
    case 'custom':
    case 'hookMessage':
      return said('user', userContent(message.content))
    case 'assistant':
      return answer(message)
    case 'toolResult':
      return said('user', [toolResult(message)])
    case 'bashExecution':
      // The user ran it with `!!`: it stays out of the model's sight.
      return message.excludeFromContext === true ? { skip: 'not sent to the model' } : said('user', bashText(message))
    default:
      return { skip: 'unknown record' }
  }
}

/** What pi tells the model about a branch that the user left, when it comes back from there. */
export function branchSummaryText(summary: string): string {
  return `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}\n</summary>`
}

/** The usage of an answer; none where the call was aborted before anything was counted. */
export function piUsage(message: Fields): Usage | undefined {
  const usage = fieldsOf(message.usage)
  const cacheRead = countOf(usage.cacheRead) ?? 0
  const cacheWrite = countOf(usage.cacheWrite) ?? 0
  const input = (countOf(usage.input) ?? 0) + cacheRead + cacheWrite
  const output = countOf(usage.output) ?? 0
  return input + output === 0 ? undefined : { input, cacheRead, cacheWrite, output }
}

function said(role: 'user' | 'assistant', content: string | readonly unknown[]): PiMessage {
  return content.length === 0 ? { skip: 'empty message' } : { role, content }
}

/** An answer that was aborted or failed before its first word has no blocks: it was shown as an error, and never sent. */
function answer(message: Fields): PiMessage {
  const content = listOf(message.content).flatMap(answerBlock)
  if (content.length > 0) return { role: 'assistant', content }
  const failed = message.stopReason === 'aborted' || message.stopReason === 'error'
  return { skip: failed ? 'aborted answer' : 'empty message' }
}

function answerBlock(block: unknown): unknown[] {
  if (!isFields(block)) return []
  if (block.type === 'toolCall')
    return [{ type: 'tool_use', id: block.id, name: block.name, input: block.arguments ?? {} }]
  if (block.type === 'thinking') return thinking(block)
  return textOrImage(block)
}

/** Thinking without a signature (its answer was aborted) cannot go back as thinking: pi sends it as text. */
function thinking(block: Fields): unknown[] {
  const signature = textOf(block.thinkingSignature)
  if (block.redacted === true && signature !== undefined) return [{ type: 'redacted_thinking', data: signature }]
  const text = typeof block.thinking === 'string' ? block.thinking : ''
  if (signature !== undefined) return [{ type: 'thinking', thinking: text, signature }]
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function userContent(content: unknown): string | readonly unknown[] {
  return typeof content === 'string' ? content : listOf(content).flatMap(textOrImage)
}

/** Blank text is no legal block. A block of another kind is kept as it is. */
function textOrImage(block: unknown): unknown[] {
  if (!isFields(block)) return []
  if (block.type === 'text') return textOf(block.text)?.trim() ? [{ type: 'text', text: block.text }] : []
  if (block.type === 'image' && typeof block.data === 'string') {
    return [{ type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } }]
  }
  return [block]
}

function toolResult(message: Fields): Fields {
  const content = userContent(message.content)
  return {
    type: 'tool_result',
    tool_use_id: message.toolCallId,
    ...(content.length > 0 ? { content } : {}),
    ...(message.isError === true ? { is_error: true } : {}),
  }
}

/** A command that the user ran in the client, as the model is told of it. */
function bashText(message: Fields): string {
  const output = textOf(message.output)
  const parts = [
    `Ran \`${textOf(message.command) ?? ''}\`\n${output === undefined ? '(no output)' : `\`\`\`\n${output}\n\`\`\``}`,
  ]
  if (message.cancelled === true) parts.push('(command cancelled)')
  else if (countOf(message.exitCode)) parts.push(`Command exited with code ${message.exitCode}`)
  const path = textOf(message.fullOutputPath)
  if (message.truncated === true && path !== undefined) parts.push(`[Output truncated. Full output: ${path}]`)
  return parts.join('\n\n')
}
