import type { Call, LabRules } from '../../format.ts'
import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'
import { type Breach, MODEL_ERRORS } from './breach.ts'
import { cachePointRule } from './cache-points.ts'
import { converseRequest, type ReadMessage, readMessages, spokenBlocks } from './messages.ts'
import { reasoningRule } from './reasoning-rules.ts'

/** The first rule of `Converse` that the body breaks. */
export function converseBreach(body: unknown, rules: LabRules, call: Call): Breach | undefined {
  const request = asFields(converseRequest(body))
  const messages = readMessages(body)
  if (request === undefined || messages.length === 0) {
    return {
      rule: 'body',
      message:
        "1 validation error detected: Value at 'messages' failed to satisfy constraint: Member must have length greater " +
        'than or equal to 1',
    }
  }
  return (
    systemRule(request) ??
    firstOf(messages, shapeRule) ??
    orderRule(messages) ??
    toolConfigRule(request, messages) ??
    firstOf(messages, (message) => toolRule(message, messages)) ??
    cachePointRule(request, messages) ??
    reasoningRule(body, { rules, model: call.model })
  )
}

function firstOf(
  messages: readonly ReadMessage[],
  rule: (message: ReadMessage) => Breach | undefined,
): Breach | undefined {
  for (const message of messages) {
    const breach = rule(message)
    if (breach !== undefined) return breach
  }
  return undefined
}

function systemRule(request: Fields): Breach | undefined {
  const blank = listField(request, 'system').findIndex((block) => textField(block, 'text')?.trim() === '')
  return blank < 0 ? undefined : blankText(`SystemContentBlock object at system.${blank}`)
}

function blankText(where: string): Breach {
  return {
    rule: 'blank-text',
    message: `The text field in the ${where} is blank. Add text to the text field, and try again.`,
  }
}

function shapeRule({ index, role, blocks }: ReadMessage): Breach | undefined {
  if (role !== 'user' && role !== 'assistant') {
    return {
      rule: 'role',
      message:
        `1 validation error detected: Value '${role}' at 'messages.${index + 1}.member.role' failed to satisfy ` +
        'constraint: Member must satisfy enum value set: [user, assistant]',
    }
  }
  for (const [at, block] of blocks.entries()) {
    const breach = blockRule(block, `messages.${index}.content.${at}`)
    if (breach !== undefined) return breach
  }
  return emptyRule(index, blocks) ?? documentRule(role, blocks)
}

function emptyRule(index: number, blocks: readonly Fields[]): Breach | undefined {
  if (spokenBlocks(blocks).length > 0) return undefined
  return {
    rule: 'empty-content',
    message:
      `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the ` +
      'content field and try again.',
  }
}

const BLOCK_KEYS = [
  'text',
  'image',
  'toolUse',
  'toolResult',
  'document',
  'video',
  'audio',
  'cachePoint',
  'guardContent',
  'reasoningContent',
  'citationsContent',
  'searchResult',
  'toolAddition',
  'toolRemoval',
]

function blockRule(block: Fields, at: string): Breach | undefined {
  const set = BLOCK_KEYS.filter((key) => block[key] !== undefined && block[key] !== null)
  if (set.length !== 1) {
    const must = set.length === 0 ? 'must set one' : 'can only set one'
    return {
      rule: 'block-key',
      message: `ContentBlock object at ${at} ${must} of the following keys: ${BLOCK_KEYS.join(', ')}.`,
    }
  }
  if (textField(block, 'text')?.trim() === '') return blankText(`ContentBlock object at ${at}`)
  return block.toolResult === undefined ? undefined : resultRule(block.toolResult, at)
}

const RESULT_KEYS = ['text', 'image', 'document', 'video', 'json', 'searchResult']

function resultRule(result: unknown, at: string): Breach | undefined {
  const content = listField(result, 'content')
  if (content.length === 0 && field(result, 'status') === 'error') {
    return {
      rule: 'empty-result',
      message: `The content field at ${at}.toolResult cannot be empty when status value is error.`,
    }
  }
  for (const [index, part] of content.entries()) {
    const set = RESULT_KEYS.filter((key) => (field(part, key) ?? null) !== null)
    const where = `ToolResultContentBlock object at ${at}.toolResult.content.${index}`
    if (set.length !== 1) {
      return { rule: 'block-key', message: `${where} must set one of the following keys: ${RESULT_KEYS.join(', ')}.` }
    }
    if (textField(part, 'text')?.trim() === '') return blankText(where)
  }
  return undefined
}

function documentRule(role: string, blocks: readonly Fields[]): Breach | undefined {
  const needsText = role === 'user' && blocks.some((block) => block.document !== undefined)
  if (!needsText || blocks.some(hasText)) return undefined
  return { rule: 'document-text', message: 'A text block must be included when using documents.' }
}

function hasText(block: Fields): boolean {
  return typeof block.text === 'string' || field(block.guardContent, 'text') !== undefined
}

function orderRule(messages: readonly ReadMessage[]): Breach | undefined {
  if (messages[0]?.role !== 'user') {
    return {
      rule: 'first-user',
      message:
        'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    }
  }
  if (messages.some(({ role }, at) => at > 0 && messages[at - 1]?.role === role)) {
    return {
      rule: 'alternation',
      message:
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between ' +
        'user and assistant roles and try again.',
    }
  }
  if (messages.at(-1)?.role === 'user') return undefined
  return {
    rule: 'last-user',
    message: `${MODEL_ERRORS}This model does not support assistant message prefill. The conversation must end with a user message.`,
  }
}

function toolConfigRule(request: Fields, messages: readonly ReadMessage[]): Breach | undefined {
  const uses = messages.some(({ uses, results }) => uses.length + results.length > 0)
  const tools = listField(request.toolConfig, 'tools').filter((tool) => field(tool, 'cachePoint') === undefined)
  if (!uses || tools.length > 0) return undefined
  return {
    rule: 'tool-config',
    message: 'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
  }
}

function toolRule(message: ReadMessage, messages: readonly ReadMessage[]): Breach | undefined {
  const { index, uses, results, role } = message
  if (new Set(uses).size < uses.length || (role === 'user' && uses.length > 0)) {
    const message = `${MODEL_ERRORS}messages.${index}: \`tool_use\` ids must be unique and stand in assistant messages`
    return { rule: 'duplicate-call', message }
  }
  const alone = aloneOnServer(message)
  if (alone !== undefined) return alone
  const answered = messages[index + 1]?.results ?? []
  const missing = uses.filter((id) => !answered.includes(id))
  if (missing.length > 0) {
    return {
      rule: 'call-without-result',
      message: `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${missing.join(', ')}`,
    }
  }
  return results.length === 0 ? undefined : resultsRule(message, messages[index - 1]?.uses ?? [])
}

/** A tool of the server and its result stand in one message. */
function aloneOnServer({ index, server }: ReadMessage): Breach | undefined {
  const unpaired = [
    ...server.uses.filter((id) => !server.results.includes(id)),
    ...server.results.filter((id) => !server.uses.includes(id)),
  ][0]
  if (unpaired === undefined) return undefined
  return {
    rule: 'server-tool',
    message:
      `${MODEL_ERRORS}messages.${index}.content: \`server_tool_use\` and its result must stand in the same message: ` +
      unpaired,
  }
}

function resultsRule({ index, results, blocks, role }: ReadMessage, calls: readonly string[]): Breach | undefined {
  if (results.length > calls.length) {
    return {
      rule: 'result-without-call',
      message:
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous ` +
        'turn.',
    }
  }
  const unknown = results.find((id, at) => !calls.includes(id) || results.indexOf(id) < at || role !== 'user')
  if (unknown !== undefined) {
    return {
      rule: 'result-without-call',
      message:
        `${MODEL_ERRORS}messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ` +
        `${unknown}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    }
  }
  const begins = spokenBlocks(blocks)
    .slice(0, results.length)
    .every((block) => block.toolResult !== undefined)
  if (begins) return undefined
  return {
    rule: 'result-place',
    message:
      `${MODEL_ERRORS}messages.${index}: Did not find ${results.length} tool_result block(s) at the beginning of this ` +
      'message. Messages following tool_use blocks must begin with a matching number of tool_result blocks.',
  }
}
