import type { Call, LabRules } from '../../format.ts'
import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'
import { isServerResult, isThinking, type ReadMessage, readBlocks, readMessages } from './content.ts'
import { checkThinkingBinding } from './thinking-binding.ts'
import { checkTools } from './validate-tools.ts'

/** A broken rule, in the API's own kind of words. */
export interface BrokenRule {
  readonly rule: string
  readonly message: string
}

/** The first rule of the Messages API that a body breaks. */
export function validateMessages(body: unknown, rules: LabRules, call?: Call): BrokenRule | undefined {
  const shape = checkShape(body, call?.kind === 'generate')
  if (shape !== undefined) return shape
  const messages = readMessages(body)
  return (
    checkRoles(messages, rules) ??
    checkContents(messages) ??
    checkTools(body, messages) ??
    checkThinking(messages) ??
    checkMarks(body) ??
    checkThinkingBinding(body, rules.thinkingBinding)
  )
}

function checkShape(body: unknown, needsCap: boolean): BrokenRule | undefined {
  const fields = asFields(body)
  if (fields === undefined) return broken('body', 'The request body is not valid JSON')
  if (typeof fields.model !== 'string') return broken('model', 'model: Field required')
  if (needsCap && fields.max_tokens === undefined) return broken('max-tokens', 'max_tokens: Field required')
  if (fields.messages === undefined) return broken('messages', 'messages: Field required')
  if (!Array.isArray(fields.messages)) return broken('messages', 'messages: Input should be a valid list')
  if (fields.messages.length === 0) return broken('messages', 'messages: at least one message is required')
  return checkBudget(fields) ?? fields.messages.map(checkMessageShape).find((found) => found !== undefined)
}

function checkBudget({ max_tokens: cap, thinking }: Fields): BrokenRule | undefined {
  if (cap === undefined) return undefined
  if (typeof cap !== 'number' || !Number.isInteger(cap))
    return broken('max-tokens', 'max_tokens: Input should be a valid integer')
  if (cap < 1) return broken('max-tokens', 'max_tokens: must be greater than or equal to 1')
  const budget = field(thinking, 'type') === 'enabled' ? field(thinking, 'budget_tokens') : undefined
  if (typeof budget !== 'number' || cap > budget) return undefined
  return broken('thinking-budget', '`max_tokens` must be greater than `thinking.budget_tokens`.')
}

function checkMessageShape(message: unknown, index: number): BrokenRule | undefined {
  const content = field(message, 'content')
  const role = field(message, 'role')
  if (typeof role !== 'string') return broken('role', `messages.${index}.role: Field required`)
  if (!['user', 'assistant', 'system'].includes(role)) {
    return broken('role', `messages: Unexpected role "${role}". Allowed roles are "user" or "assistant".`)
  }
  if (content === undefined) return broken('content', `messages.${index}.content: Field required`)
  if (typeof content === 'string') return undefined
  if (!Array.isArray(content)) return broken('content', `messages.${index}.content: Input should be a valid list`)
  const at = content.findIndex((block) => textField(block, 'type') === undefined)
  return at < 0 ? undefined : broken('content', `messages.${index}.content.${at}.type: Field required`)
}

function checkRoles(messages: readonly ReadMessage[], rules: LabRules): BrokenRule | undefined {
  const placed = messages.filter(({ directive }) => !directive)
  const [first] = placed
  const opensWithCompaction = first?.role === 'assistant' && first.blocks[0]?.type === 'compaction'
  if (first?.role !== 'user' && !opensWithCompaction) {
    return broken('first-user', 'messages: first message must use the "user" role')
  }
  return placed.map((_, at) => checkPlace(placed, at, rules)).find((found) => found !== undefined)
}

function checkPlace(placed: readonly ReadMessage[], at: number, rules: LabRules): BrokenRule | undefined {
  const role = placed[at]?.role
  if (role === 'system') return checkSystem(placed, at, rules)
  const before = placed.slice(0, at).findLast((one) => one.role !== 'system')
  if (!rules.strictAlternation || before?.role !== role) return undefined
  const why = `but found multiple "${role}" roles in a row`
  return broken('alternation', `messages: roles must alternate between "user" and "assistant", ${why}`)
}

/** A system message ends a user turn: behind the user or a server tool's result, and before the assistant or nothing. */
function checkSystem(placed: readonly ReadMessage[], at: number, rules: LabRules): BrokenRule | undefined {
  if (!rules.systemInMessages) {
    return broken(
      'system-role',
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an ' +
        'input message role.',
    )
  }
  const before = placed[at - 1]
  const behindServerTool = before?.role === 'assistant' && isServerResult(before.blocks.at(-1) ?? {})
  const endsTurn = behindServerTool || before?.role === 'user' || before?.role === 'system'
  if (endsTurn && placed[at + 1]?.role !== 'user') return undefined
  return broken('system-place', 'messages: a "system" message must end a user turn, before the "assistant" message')
}

function checkContents(messages: readonly ReadMessage[]): BrokenRule | undefined {
  for (const [index, message] of messages.entries()) {
    const isFinalAssistant = index === messages.length - 1 && message.role === 'assistant'
    if (message.blocks.length === 0 && !isFinalAssistant && !message.directive) {
      const what = 'all messages must have non-empty content except for the optional final assistant message'
      return broken('empty-content', `messages.${index}: ${what}`)
    }
    const found = message.blocks.map(checkText).find((one) => one !== undefined)
    if (found !== undefined) return found
    if (isFinalAssistant && /\s$/.test(textField(message.blocks.at(-1), 'text') ?? '')) {
      return broken('trailing-space', 'messages: final assistant content cannot end with trailing whitespace')
    }
  }
  return undefined
}

function checkText(block: Fields): BrokenRule | undefined {
  const found = block.type === 'tool_result' ? readBlocks(block.content).map(checkText) : []
  if (block.type !== 'text') return found.find((one) => one !== undefined)
  const text = textField(block, 'text')
  if (text === undefined || text === '') return broken('empty-text', 'messages: text content blocks must be non-empty')
  if (text.trim() !== '') return undefined
  return broken('empty-text', 'messages: text content blocks must contain non-whitespace text')
}

function checkThinking(messages: readonly ReadMessage[]): BrokenRule | undefined {
  for (const [index, { role, blocks }] of messages.entries()) {
    for (const [at, block] of blocks.entries()) {
      const found = checkThinkingBlock(block, { path: `messages.${index}.content.${at}`, role })
      if (found !== undefined) return found
    }
    const last = blocks.at(-1)
    if (role === 'assistant' && last !== undefined && isThinking(last)) {
      return broken(
        'thinking-last',
        `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`,
      )
    }
  }
  return undefined
}

function checkThinkingBlock(
  block: Fields,
  at: { readonly path: string; readonly role: string },
): BrokenRule | undefined {
  if (!isThinking(block)) return undefined
  if (at.role !== 'assistant') {
    return broken('thinking-role', `${at.path}: \`thinking\` blocks can only be in \`assistant\` messages`)
  }
  const seal = block.type === 'thinking' ? 'signature' : 'data'
  const text = textField(block, seal)
  if (text === undefined) return broken('thinking-unsigned', `${at.path}.${block.type}.${seal}: Field required`)
  return text === ''
    ? broken('thinking-unsigned', `${at.path}: Invalid \`${seal}\` in \`${block.type}\` block`)
    : undefined
}

/** Cache marks that a request may have. */
const MOST_MARKS = 4

function checkMarks(body: unknown): BrokenRule | undefined {
  const marked = markable(body).filter(({ block }) => asFields(block.cache_control) !== undefined)
  const misplaced = marked.map(checkMarkPlace).find((found) => found !== undefined)
  if (misplaced !== undefined) return misplaced
  const count = marked.length + (asFields(field(body, 'cache_control')) === undefined ? 0 : 1)
  if (count > MOST_MARKS) {
    return broken('cache-marks', `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`)
  }
  const short = marked.findIndex(({ block }) => field(block.cache_control, 'ttl') !== '1h')
  const late = marked.findIndex(
    ({ block }, at) => short >= 0 && at > short && field(block.cache_control, 'ttl') === '1h',
  )
  if (late < 0) return undefined
  const path = marked[late]?.path
  const why = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
  return broken('cache-mark-order', `${path}.cache_control.ttl: ${why}.`)
}

interface Marked {
  readonly block: Fields
  readonly path: string
}

/** Everything that may carry a mark, in the order in which the model reads it. */
function markable(body: unknown): readonly Marked[] {
  const messages = readMessages(body).flatMap(({ blocks }, index) =>
    blocks.flatMap((block, at) => {
      const path = `messages.${index}.content.${at}`
      const inner = block.type === 'tool_result' ? readBlocks(block.content) : []
      return [...inner.map((one, n) => ({ block: one, path: `${path}.content.${n}` })), { block, path }]
    }),
  )
  return [
    ...listField(body, 'tools').map((tool, index) => ({ block: asFields(tool) ?? {}, path: `tools.${index}` })),
    ...readBlocks(field(body, 'system')).map((block, index) => ({ block, path: `system.${index}` })),
    ...messages,
  ]
}

function checkMarkPlace({ block, path }: Marked): BrokenRule | undefined {
  if (isThinking(block)) {
    return broken('cache-mark-place', `${path}.${block.type}.cache_control: Extra inputs are not permitted`)
  }
  if (block.type !== 'text' || textField(block, 'text') !== '') return undefined
  return broken('cache-mark-place', `${path}.text: cache_control cannot be set for empty text blocks`)
}

function broken(rule: string, message: string): BrokenRule {
  return { rule, message }
}
