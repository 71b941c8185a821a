import type { Call, LabRules } from '../../format.ts'
import { asFields, field, textField } from '../../json-fields.ts'
import type { Breach } from './breach.ts'
import { eitherField, generateRequest, type ReadContent, readContents } from './contents.ts'
import { signatureRule } from './thought-signatures.ts'

/** The first rule of `generateContent` that the body breaks. */
export function geminiBreach(body: unknown, rules: LabRules, call: Call): Breach | undefined {
  if (asFields(generateRequest(body)) === undefined) {
    return { rule: 'body', message: 'Invalid JSON payload received. Unexpected token.' }
  }
  const contents = readContents(body)
  if (contents.length === 0) {
    return { rule: 'empty-contents', message: '* GenerateContentRequest.contents: contents is not specified\n' }
  }
  return (
    firstOf(contents, shapeRule) ??
    turnRule(contents, rules) ??
    firstOf(contents, (content) => functionRule(content, contents)) ??
    signatureRule(contents, { rules, model: call.model })
  )
}

function firstOf(
  contents: readonly ReadContent[],
  rule: (content: ReadContent) => Breach | undefined,
): Breach | undefined {
  for (const content of contents) {
    const breach = rule(content)
    if (breach !== undefined) return breach
  }
  return undefined
}

function shapeRule(content: ReadContent): Breach | undefined {
  const { index, statedRole, parts } = content
  // A role that is left out means the user.
  if (statedRole !== undefined && !['user', 'model', 'function'].includes(statedRole)) {
    return { rule: 'role', message: 'Please use a valid role: user, model.' }
  }
  if (parts.length === 0) {
    return {
      rule: 'empty-content',
      message: `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`,
    }
  }
  const empty = parts.findIndex(isEmptyPart)
  if (empty >= 0) {
    const at = `GenerateContentRequest.contents[${index}].parts[${empty}]`
    const message = `* ${at}.data: required oneof field 'data' must have one initialized field\n`
    return { rule: 'empty-part', message }
  }
  return responseNames(content)
}

const PART_DATA = [
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'function_call',
  'function_response',
  'inline_data',
  'file_data',
  'executable_code',
  'code_execution_result',
  'tool_call',
  'tool_response',
]

/** A part says something. An empty text does: the API takes it, and writes it itself around a thought signature. */
function isEmptyPart(part: unknown): boolean {
  return textField(part, 'text') === undefined && !PART_DATA.some((key) => asFields(field(part, key)) !== undefined)
}

function responseNames({ index, parts }: ReadContent): Breach | undefined {
  const unnamed = parts.findIndex((part) => {
    const response = eitherField(part, 'functionResponse', 'function_response')
    return response !== undefined && (textField(response, 'name') ?? '') === ''
  })
  if (unnamed < 0) return undefined
  const at = `GenerateContentRequest.contents[${index}].parts[${unnamed}]`
  return { rule: 'response-name', message: `* ${at}.function_response.name: Name cannot be empty.\n` }
}

function turnRule(contents: readonly ReadContent[], rules: LabRules): Breach | undefined {
  const [first] = contents
  if (first?.role === 'model') {
    return first.calls.length > 0
      ? callPlace()
      : { rule: 'first-role', message: 'Please ensure that multiturn requests begin with a user turn.' }
  }
  if (!rules.strictAlternation) return undefined
  const doubled = contents.some(({ role }, at) => at > 0 && contents[at - 1]?.role === role)
  if (!doubled) return undefined
  return { rule: 'alternation', message: 'Please ensure that multiturn requests alternate between user and model.' }
}

function callPlace(): Breach {
  return {
    rule: 'call-place',
    message:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  }
}

function functionRule(content: ReadContent, contents: readonly ReadContent[]): Breach | undefined {
  const [before, after] = [contents[content.index - 1], contents[content.index + 1]]
  if (content.calls.length > 0) {
    if (content.role !== 'model' || before?.role !== 'user') return callPlace()
    return answerRule(content, after)
  }
  if (content.responses.length === 0) return undefined
  if (content.role === 'user' && before !== undefined && before.calls.length > 0) return undefined
  return {
    rule: 'response-place',
    message: 'Please ensure that function response turn comes immediately after a function call turn.',
  }
}

function answerRule({ calls }: ReadContent, after: ReadContent | undefined): Breach | undefined {
  const responses = after?.role === 'user' ? after.responses : []
  if (responses.length !== calls.length) {
    return {
      rule: 'response-count',
      message:
        'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
        'function call turn.',
    }
  }
  if (sameNames(calls, responses) && sameIds(calls, responses)) return undefined
  return {
    rule: 'response-match',
    message: 'Please ensure that the function response parts match the function call parts of the function call turn.',
  }
}

/** In whatever order: calls that run at once come back as they end. */
function sameNames(calls: readonly unknown[], responses: readonly unknown[]): boolean {
  return sorted(calls, 'name').join('\n') === sorted(responses, 'name').join('\n')
}

/** Ids are optional on both sides; one that is given names a call. */
function sameIds(calls: readonly unknown[], responses: readonly unknown[]): boolean {
  const known = sorted(calls, 'id')
  const given = sorted(responses, 'id')
  return known.length === 0 || (given.every((id) => known.includes(id)) && new Set(given).size === given.length)
}

function sorted(list: readonly unknown[], key: string): readonly string[] {
  return list.flatMap((one) => textField(one, key) ?? []).sort()
}
