import type { Conversation, RenderContext, Violation } from '../../engine/messages/message.ts'
import { isObject, property, stringOf } from '../json-fields.ts'
import { brokenRules, type ProtocolRule } from '../protocol-rule.ts'
import { field } from './fields.ts'
import type { GeminiContent, GeminiPart } from './items.ts'
import { contentRole, holdsResponse, isCall, isResponse, partsOf } from './part-data.ts'

/** The rules of `generateContent` that the view breaks, in the order of the contents. */
export function checkContents(
  view: Conversation<GeminiContent>,
  context: Partial<RenderContext> = {},
): readonly Violation[] {
  const rules = context.strictAlternation ? [...RULES, rolesAlternate] : RULES
  return brokenRules(rules, view.items)
}

/** `contents` holds at least one content. */
const contentsNotEmpty: ProtocolRule<GeminiContent> = {
  id: 'gemini/contents-empty',
  fix: 'Keep at least the last user message.',
  find: (contents) => (contents.length === 0 ? [{ message: 'The request has no contents.' }] : []),
}

/** A content is from `user` (the default), `model` or `function`. */
const knownRole: ProtocolRule<GeminiContent> = {
  id: 'gemini/role',
  fix: 'Use the role user, model or function; system text belongs in systemInstruction.',
  find: (contents) =>
    each(contents, (content) => {
      if (contentRole(content) !== 'unknown') return []
      return [{ message: `The role ${JSON.stringify(property(content, 'role'))} does not exist.` }]
    }),
}

/** The first content is from the user. */
const userFirst: ProtocolRule<GeminiContent> = {
  id: 'gemini/first-content-not-user',
  fix: 'Start with the summary or with a user message.',
  find: ([first]) =>
    first !== undefined && contentRole(first) === 'model'
      ? [{ position: 0, message: 'The first content is from the model.' }]
      : [],
}

/** A content has at least one part. */
const contentNotEmpty: ProtocolRule<GeminiContent> = {
  id: 'gemini/content-without-parts',
  fix: 'Leave the content out or give it a part.',
  find: (contents) =>
    each(contents, (content) => (partsOf(content).length === 0 ? [{ message: 'The content has no parts.' }] : [])),
}

/** A part holds something. An empty text does count: the API takes it. */
const partNotEmpty: ProtocolRule<GeminiContent> = {
  id: 'gemini/part-empty',
  fix: 'Leave the part out.',
  find: (contents) =>
    eachPart(contents, (part) => {
      const empty = !isObject(part) || Object.keys(part).length === 0
      return empty ? [{ message: 'The part holds no data.' }] : []
    }),
}

/** Calls come from the model. */
const callFromModel: ProtocolRule<GeminiContent> = {
  id: 'gemini/call-outside-model',
  fix: 'A functionCall belongs in a content with the role model.',
  find: (contents) =>
    eachPart(contents, (part, content) =>
      isCall(part) && contentRole(content) !== 'model' ? [{ message: 'A function call that is not the model’s.' }] : [],
    ),
}

/** Responses come from the user's side. */
const responseFromUser: ProtocolRule<GeminiContent> = {
  id: 'gemini/response-in-model',
  fix: 'A functionResponse belongs in a content with the role user or function.',
  find: (contents) =>
    eachPart(contents, (part, content) =>
      isResponse(part) && contentRole(content) === 'model' ? [{ message: 'The model answers a call itself.' }] : [],
    ),
}

/** Calls are answered in the very next content. At the end of the contents they are still open, which is no fault. */
const callAnswered: ProtocolRule<GeminiContent> = {
  id: 'gemini/call-without-response',
  fix: 'Keep the content with the function responses directly behind its calls, or drop both.',
  find: (contents) =>
    each(contents, (content, at) => {
      const next = contents[at + 1]
      const open = callsOf(content).length > 0 && next !== undefined && responsesOf(next).length === 0
      return open ? [{ message: 'The content behind these function calls does not answer them.' }] : []
    }),
}

/** Responses stand directly behind the calls that they answer. */
const responseHasCall: ProtocolRule<GeminiContent> = {
  id: 'gemini/response-without-call',
  fix: 'Keep the content with the function calls directly before its responses, or drop both.',
  find: (contents) =>
    each(contents, (content, at) => {
      const orphaned = responsesOf(content).length > 0 && callsOf(contents[at - 1]).length === 0
      return orphaned ? [{ message: 'The content before these function responses holds no calls.' }] : []
    }),
}

/** n calls have n responses. */
const responseCount: ProtocolRule<GeminiContent> = {
  id: 'gemini/response-count',
  fix: 'Answer each function call once, all in one content.',
  find: (contents) =>
    eachBatch(contents, (calls, responses) =>
      calls.length === responses.length
        ? []
        : [{ message: `${calls.length} function calls have ${responses.length} responses.` }],
    ),
}

/** The responses bear the names of the calls. */
const responseNames: ProtocolRule<GeminiContent> = {
  id: 'gemini/response-name',
  fix: 'Give each function response the name of the call that it answers.',
  find: (contents) =>
    eachBatch(contents, (calls, responses) =>
      calls.length === responses.length && !sameTexts(calls.map(nameOf), responses.map(nameOf))
        ? [{ message: 'The names of the function responses are not those of the calls.' }]
        : [],
    ),
}

/** Where calls and responses have ids, they are the same ids. */
const responseIds: ProtocolRule<GeminiContent> = {
  id: 'gemini/response-id',
  fix: 'Give each function response the id of the call that it answers.',
  find: (contents) =>
    eachBatch(contents, (calls, responses) => {
      const ids = [...calls, ...responses].map(idOf)
      if (calls.length !== responses.length || ids.some((id) => id === '')) return []
      return sameTexts(calls.map(idOf), responses.map(idOf))
        ? []
        : [{ message: 'The ids of the function responses are not those of the calls.' }]
    }),
}

const RULES: readonly ProtocolRule<GeminiContent>[] = [
  contentsNotEmpty,
  knownRole,
  userFirst,
  contentNotEmpty,
  partNotEmpty,
  callFromModel,
  responseFromUser,
  callAnswered,
  responseHasCall,
  responseCount,
  responseNames,
  responseIds,
]

/** User and model take turns. Only on demand; function responses and the user's words behind them cannot be one content. */
const rolesAlternate: ProtocolRule<GeminiContent> = {
  id: 'gemini/roles-do-not-alternate',
  fix: 'Join neighbouring contents of one role.',
  find: (contents) =>
    each(contents, (content, at) => {
      const previous = contents[at - 1]
      if (previous === undefined || holdsResponse(previous) || holdsResponse(content)) return []
      return contentRole(previous) === contentRole(content)
        ? [{ message: 'Two contents of one role follow each other.' }]
        : []
    }),
}

interface Finding {
  readonly message: string
}

function each(
  contents: readonly GeminiContent[],
  find: (content: GeminiContent, at: number) => readonly Finding[],
): readonly (Finding & { readonly position: number })[] {
  return contents.flatMap((content, position) => find(content, position).map((found) => ({ ...found, position })))
}

function eachPart(
  contents: readonly GeminiContent[],
  find: (part: GeminiPart, content: GeminiContent) => readonly Finding[],
): readonly (Finding & { readonly position: number; readonly part: number })[] {
  return contents.flatMap((content, position) =>
    partsOf(content).flatMap((own, part) => find(own, content).map((found) => ({ ...found, position, part }))),
  )
}

/** Calls with the responses in the content behind them; a finding is at the responses. */
function eachBatch(
  contents: readonly GeminiContent[],
  find: (calls: readonly unknown[], responses: readonly unknown[]) => readonly Finding[],
): readonly (Finding & { readonly position: number })[] {
  return each(contents, (content, at) => {
    const calls = callsOf(contents[at - 1])
    const responses = responsesOf(content)
    return calls.length > 0 && responses.length > 0 ? find(calls, responses) : []
  })
}

function callsOf(content: GeminiContent | undefined): readonly unknown[] {
  if (content === undefined || contentRole(content) !== 'model') return []
  return partsOf(content).flatMap((part) => field(part, 'functionCall') ?? [])
}

function responsesOf(content: GeminiContent): readonly unknown[] {
  if (contentRole(content) === 'model') return []
  return partsOf(content).flatMap((part) => field(part, 'functionResponse') ?? [])
}

function nameOf(native: unknown): string {
  return stringOf(property(native, 'name')) ?? ''
}

function idOf(native: unknown): string {
  return stringOf(property(native, 'id')) ?? ''
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  const sorted = [...b].sort()
  return [...a].sort().every((text, at) => text === sorted[at])
}
