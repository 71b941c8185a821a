import type { Reply, ReplyPart } from '../format.ts'
import { asFields, type Fields, field, listField, textField } from '../json-fields.ts'

/** How a recorded session is played. */
export interface PlayOptions {
  /**
   * Whose signatures the thinking carries: the recorded ones, which the simulator cannot verify, or its own, which it
   * binds to the conversation as it is played. Default `own`.
   */
  readonly signatures?: 'own' | 'recorded'
}

/**
 * The answers of a recorded session, in order, as a script: items of any of the message formats, or of Responses. Items of
 * the assistant that follow each other are one answer. What a provider's own tools did is left out.
 *
 * @example
 * const lab = await startWirelab({ script: playSession(items) })
 */
export function playSession(items: readonly unknown[], options: PlayOptions = {}): readonly Reply[] {
  const answers: ReplyPart[][] = []
  let open: ReplyPart[] | undefined
  for (const item of items) {
    if (!isAnswer(item)) {
      open = undefined
      continue
    }
    if (open === undefined) {
      open = []
      answers.push(open)
    }
    open.push(...partsOf(item).map((part) => withSignature(part, options.signatures ?? 'own')))
  }
  return answers.map((parts) => ({ parts }))
}

function isAnswer(item: unknown): boolean {
  const role = field(item, 'role')
  if (role !== undefined) return role === 'assistant' || role === 'model'
  return ANSWER_TYPES.includes(field(item, 'type'))
}

/** Items of Responses that the model writes and that have no role. */
const ANSWER_TYPES: readonly unknown[] = ['reasoning', 'function_call', 'custom_tool_call', 'local_shell_call']

function withSignature(part: ReplyPart, whose: 'own' | 'recorded'): ReplyPart {
  return part.kind === 'reasoning' && whose === 'own' ? { kind: 'reasoning', text: part.text } : part
}

function partsOf(item: unknown): readonly ReplyPart[] {
  const content = field(item, 'content') ?? field(item, 'parts')
  const blocks = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : []
  const thought = textField(item, 'reasoning_content')
  return [
    ...(thought === undefined ? [] : [{ kind: 'reasoning' as const, text: thought }]),
    ...blocks.flatMap((block) => blockPart(asFields(block) ?? {})),
    ...listField(item, 'tool_calls').flatMap(chatCall),
    ...responsesPart(asFields(item) ?? {}),
  ]
}

/** One block of a message: of Anthropic, Bedrock, Gemini, or a text of anyone. */
function blockPart(block: Fields): readonly ReplyPart[] {
  const signed = reasoningBlock(block)
  if (signed !== undefined) return signed.text === '' ? [] : [signed]
  const text = textField(block, 'text')
  if (text !== undefined) return text === '' ? [] : [{ kind: 'text', text }]
  if (block.type === 'tool_use') return [call(block.id, block.name, block.input)]
  const { toolUse, functionCall } = block
  if (toolUse !== undefined) return [call(field(toolUse, 'toolUseId'), field(toolUse, 'name'), field(toolUse, 'input'))]
  if (functionCall === undefined) return []
  const name = field(functionCall, 'name')
  return [call(field(functionCall, 'id') ?? `call_${name}`, name, field(functionCall, 'args'))]
}

function reasoningBlock(block: Fields): Extract<ReplyPart, { kind: 'reasoning' }> | undefined {
  if (block.type === 'thinking') return reasoning(textField(block, 'thinking'), block.signature)
  if (block.thought === true) return reasoning(textField(block, 'text'), block.thoughtSignature)
  const bedrock = field(block.reasoningContent, 'reasoningText')
  return bedrock === undefined ? undefined : reasoning(textField(bedrock, 'text'), field(bedrock, 'signature'))
}

function reasoning(text: string | undefined, signature: unknown): Extract<ReplyPart, { kind: 'reasoning' }> {
  return { kind: 'reasoning', text: text ?? '', ...(typeof signature === 'string' && { signature }) }
}

function chatCall(one: unknown): readonly ReplyPart[] {
  const definition = field(one, 'function') ?? field(one, 'custom')
  const input = textField(definition, 'arguments') ?? textField(definition, 'input') ?? '{}'
  return [call(field(one, 'id'), field(definition, 'name'), parsed(input))]
}

function responsesPart(item: Fields): readonly ReplyPart[] {
  switch (item.type) {
    case 'function_call':
      return [call(item.call_id, item.name, parsed(textField(item, 'arguments') ?? '{}'))]
    case 'custom_tool_call':
      return [call(item.call_id, item.name, { input: item.input })]
    case 'local_shell_call':
      return [call(item.call_id, 'local_shell', item.action)]
    case 'reasoning': {
      const text = listField(item, 'summary')
        .map((one) => textField(one, 'text') ?? '')
        .join('\n\n')
      return text === '' ? [] : [reasoning(text, item.encrypted_content)]
    }
    default:
      return []
  }
}

function call(id: unknown, name: unknown, input: unknown): ReplyPart {
  return { kind: 'tool-call', id: String(id), name: String(name), input: asFields(input) ?? {} }
}

/** The arguments as an object; text that is none stands in the field `text`. */
function parsed(json: string): object {
  try {
    return asFields(JSON.parse(json)) ?? { text: json }
  } catch {
    return { text: json }
  }
}
