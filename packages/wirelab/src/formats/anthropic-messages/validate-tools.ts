import { asFields, type Fields, listField, textField } from '../../json-fields.ts'
import { isServerCall, isServerResult, type ReadMessage } from './content.ts'

interface BrokenRule {
  readonly rule: string
  readonly message: string
}

/** The first rule about calls, their results and the tools that they name. */
export function checkTools(body: unknown, messages: readonly ReadMessage[]): BrokenRule | undefined {
  const joined = joinNeighbours(messages)
  return (
    checkRolesOfBlocks(messages) ??
    joined.map((message, at) => checkPair(message, { before: joined[at - 1], after: joined[at + 1] })).find(isFound) ??
    checkServerTools(messages) ??
    checkDefined(body, messages)
  )
}

interface Joined {
  readonly role: string
  readonly index: number
  readonly blocks: readonly Fields[]
}

/** Consecutive messages of one role are one message to the API; system messages stand apart. */
function joinNeighbours(messages: readonly ReadMessage[]): readonly Joined[] {
  const joined: Joined[] = []
  for (const [index, { role, blocks }] of messages.entries()) {
    if (role === 'system') continue
    const last = joined.at(-1)
    if (last?.role === role) joined[joined.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] }
    else joined.push({ role, index, blocks })
  }
  return joined
}

function checkRolesOfBlocks(messages: readonly ReadMessage[]): BrokenRule | undefined {
  for (const [index, { role, blocks }] of messages.entries()) {
    const at = blocks.findIndex(({ type }) => type === (role === 'user' ? 'tool_use' : 'tool_result'))
    if (at < 0 || role === 'system') continue
    const [kind, place] = role === 'user' ? ['tool_use', 'assistant'] : ['tool_result', 'user']
    return broken(
      'tool-role',
      `messages.${index}.content.${at}: \`${kind}\` blocks can only be in \`${place}\` messages`,
    )
  }
  return undefined
}

function checkPair(
  message: Joined,
  near: { readonly before: Joined | undefined; readonly after: Joined | undefined },
): BrokenRule | undefined {
  return message.role === 'assistant' ? checkCalls(message, near.after) : checkResults(message, near.before)
}

function checkCalls(message: Joined, after: Joined | undefined): BrokenRule | undefined {
  const ids = callIds(message)
  const repeated = ids.find((id, at) => ids.indexOf(id) < at)
  if (repeated !== undefined)
    return broken('tool-id-repeated', `messages.${message.index}: \`tool_use\` ids must be unique`)
  const badInput = message.blocks.findIndex(({ type, input }) => type === 'tool_use' && asFields(input) === undefined)
  if (badInput >= 0) {
    const path = `messages.${message.index}.content.${badInput}.tool_use.input`
    return broken('tool-input', `${path}: Input should be a valid dictionary`)
  }
  const leading = leadingResults(after)
  const open = ids.filter((id) => !leading.includes(id))
  if (open.length === 0) return undefined
  return broken(
    'tool-unanswered',
    `messages.${message.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

function callIds(message: Joined | undefined): readonly string[] {
  return message?.blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id)) ?? []
}

/** Ids of the results that stand before everything else. */
function leadingResults(message: Joined | undefined): readonly string[] {
  if (message === undefined) return []
  const end = message.blocks.findIndex(({ type }) => type !== 'tool_result')
  const leading = end < 0 ? message.blocks : message.blocks.slice(0, end)
  return leading.map((block) => textField(block, 'tool_use_id') ?? '')
}

function checkResults(message: Joined, before: Joined | undefined): BrokenRule | undefined {
  const called = callIds(before)
  const answered = new Set<string>()
  for (const [at, block] of message.blocks.entries()) {
    if (block.type !== 'tool_result') continue
    const id = textField(block, 'tool_use_id') ?? ''
    if (!called.includes(id)) {
      return broken(
        'tool-orphan',
        `messages.${message.index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each ` +
          '`tool_result` block must have a corresponding `tool_use` block in the previous message.',
      )
    }
    if (answered.has(id)) {
      const what = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
      return broken('tool-result-repeated', `messages.${message.index}.content.${at}: ${what}`)
    }
    answered.add(id)
  }
  return undefined
}

/**
 * A server tool's call has its result behind it in the same assistant turn: in its message, or, where the turn called tools
 * of the client too, in a later one. In the open turn it may still come.
 */
function checkServerTools(messages: readonly ReadMessage[]): BrokenRule | undefined {
  let open: readonly Fields[] = []
  for (const [index, { role, blocks }] of messages.entries()) {
    const [call] = open
    if (role === 'user' && call !== undefined && !blocks.every(({ type }) => type === 'tool_result')) {
      return serverUnanswered(call, index)
    }
    for (const block of role === 'assistant' ? blocks : []) {
      if (isServerCall(block)) open = [...open, block]
      if (!isServerResult(block)) continue
      if (!open.some(({ id }) => id === block.tool_use_id)) return serverOrphan(block, index)
      open = open.filter(({ id }) => id !== block.tool_use_id)
    }
  }
  return undefined
}

function serverUnanswered({ id, name }: Fields, index: number): BrokenRule {
  const what = `was found without a corresponding \`${name}_tool_result\` block`
  return broken('server-tool-unanswered', `messages.${index - 1}: \`${name}\` tool use with id \`${id}\` ${what}`)
}

function serverOrphan({ tool_use_id: id }: Fields, index: number): BrokenRule {
  const what = `unexpected \`tool_use_id\` found in server tool result: ${id}`
  return broken('server-tool-orphan', `messages.${index}: ${what}`)
}

function checkDefined(body: unknown, messages: readonly ReadMessage[]): BrokenRule | undefined {
  const uses = messages.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result'))
  if (!uses || listField(body, 'tools').length > 0) return undefined
  const what = 'Requests which have `tool_use` or `tool_result` blocks in `messages` must define tools'
  return broken('tools-missing', `${what} in \`tools\`.`)
}

function isFound<T>(found: T | undefined): found is T {
  return found !== undefined
}

function broken(rule: string, message: string): BrokenRule {
  return { rule, message }
}
