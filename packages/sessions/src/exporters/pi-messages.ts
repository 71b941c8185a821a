import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../importers/json-fields.ts'
import type { ExportedSession } from './exported-session.ts'
import type { Lose, LossTally } from './loss-tally.ts'
import type { ItemStep } from './session-steps.ts'

/** A message as pi keeps it. `custom`: a client's, not the user's words. */
export interface PiMessage {
  readonly role: 'user' | 'assistant' | 'toolResult' | 'custom'
  readonly content: string | readonly object[]
  readonly [field: string]: unknown
}

export interface PiContext {
  /** Names of tools by call id. */
  readonly names: ReadonlyMap<string, string>
  readonly session: ExportedSession
  readonly losses: LossTally
}

/** The tools that were called, by call id. */
export function toolNames(items: readonly ItemStep['item'][]): ReadonlyMap<string, string> {
  const calls = items.flatMap(({ content }) => listOf(content).map(fieldsOf)).filter(({ type }) => type === 'tool_use')
  return new Map(calls.map(({ id, name }) => [String(id), String(name)]))
}

/** The messages that pi keeps of an item: each result is one of its own. */
export function piMessages(step: ItemStep, context: PiContext): readonly PiMessage[] {
  const { item, position } = step
  const lose = context.losses.at(position)
  if (item.role === 'assistant') return answer(step, context, lose)
  if (item.role !== 'user') lose('role of a system message (carried as the user’s)')
  const blocks = typeof item.content === 'string' ? [] : item.content.map(fieldsOf)
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => toolResult(block, context, lose))
  const said = typeof item.content === 'string' ? item.content : saidBlocks(blocks, lose)
  if (typeof said === 'string' && said.trim() === '') lose('blank text')
  const isSaid = typeof said === 'string' ? said.trim() !== '' : said.length > 0
  if (step.injected && isSaid) lose('mark of a text that a client put in (kept as a custom message)')
  return [
    ...results,
    ...(isSaid ? [{ role: step.injected ? ('custom' as const) : ('user' as const), content: said }] : []),
  ]
}

function saidBlocks(blocks: readonly Fields[], lose: Lose): readonly object[] {
  return blocks.filter(({ type }) => type !== 'tool_result').flatMap((block) => userBlock(block, lose))
}

function answer({ item, call }: ItemStep, { session }: PiContext, lose: Lose): readonly PiMessage[] {
  const blocks = typeof item.content === 'string' ? [{ type: 'text', text: item.content }] : item.content
  const content = blocks.flatMap((block) => answerBlock(fieldsOf(block), lose))
  if (content.length === 0) return []
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = call?.usage ?? {}
  const fresh = Math.max(0, input - cacheRead - cacheWrite)
  return [
    {
      role: 'assistant',
      content,
      ...apiOf(session.dialect),
      model: call?.model ?? session.model ?? 'unknown',
      usage: {
        input: fresh,
        output,
        cacheRead,
        cacheWrite,
        totalTokens: fresh + output + cacheRead + cacheWrite,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: content.some((block) => (block as Fields).type === 'toolCall') ? 'toolUse' : 'stop',
    },
  ]
}

function answerBlock(block: Fields, lose: Lose): readonly object[] {
  switch (block.type) {
    case 'text':
      return textBlock(block, lose)
    case 'thinking': {
      const { thinking, signature } = block
      return [{ type: 'thinking', thinking: textOf(thinking) ?? '', ...present({ thinkingSignature: signature }) }]
    }
    case 'redacted_thinking':
      return [{ type: 'thinking', thinking: '', redacted: true, thinkingSignature: block.data }]
    case 'tool_use':
      return [{ type: 'toolCall', id: block.id, name: block.name, arguments: block.input ?? {} }]
    default:
      lose(`block "${String(block.type)}"`)
      return []
  }
}

function toolResult(block: Fields, { names }: PiContext, lose: Lose): PiMessage {
  const { tool_use_id: id, content } = block
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  return {
    role: 'toolResult',
    toolCallId: id,
    toolName: names.get(String(id)) ?? 'unknown',
    content: blocks.flatMap((inner) => userBlock(fieldsOf(inner), lose)),
    isError: block.is_error === true,
  }
}

/** pi knows texts and pictures; a note stands for what else the user or a tool showed. */
function userBlock(block: Fields, lose: Lose): readonly object[] {
  if (block.type === 'text') return textBlock(block, lose)
  const { type, data, media_type: mimeType } = fieldsOf(block.source)
  if (block.type === 'image' && type === 'base64' && typeof data === 'string')
    return [{ type: 'image', data, mimeType }]
  lose(`block "${String(block.type)}" (a note stands in its place)`)
  return [{ type: 'text', text: isFields(block.source) ? `[${String(block.type)}]` : `[${String(block.type)} block]` }]
}

/** Blank text is no legal block. */
function textBlock({ text }: Fields, lose: Lose): readonly object[] {
  if (typeof text === 'string' && text.trim() !== '') return [{ type: 'text', text }]
  lose('blank text')
  return []
}

/** Where the answers came from: signed thinking goes back to the same place alone. */
export function apiOf(dialect: string): { readonly api: string; readonly provider: string } {
  const [api, provider] = APIS[dialect] ?? ['unknown', 'unknown']
  return { api, provider }
}

const APIS: Readonly<Record<string, readonly [api: string, provider: string]>> = {
  'anthropic-messages': ['anthropic-messages', 'anthropic'],
  'openai-chat': ['openai-completions', 'openai'],
  'openai-responses': ['openai-responses', 'openai'],
  'openai-codex': ['openai-codex-responses', 'openai-codex'],
  gemini: ['google-generative-ai', 'google'],
  'bedrock-converse': ['bedrock-converse-stream', 'amazon-bedrock'],
}
