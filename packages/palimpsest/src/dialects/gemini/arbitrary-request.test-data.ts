import fc from 'fast-check'
import { EXACT, injectedWords, PNG, toolInput, words } from '../arbitrary-parts.test-data.ts'
import type { GeminiContent, GeminiPart, GeminiRequest } from './items.ts'

/** Choices that hold for a whole request: clients do not change their habits from one content to the next. */
interface Style {
  /** Do calls and responses carry ids? Models before Gemini 3 give none. */
  readonly ids: boolean
  /** Are fields spelled as in the protocol buffers? */
  readonly snakeCase: boolean
  /** Does the client write `role: "user"`, leave it out, or say `function` for responses? */
  readonly userRole: 'named' | 'missing'
  readonly responseRole: 'user' | 'function'
}

const style: fc.Arbitrary<Style> = fc.record({
  ids: fc.boolean(),
  snakeCase: fc.boolean(),
  userRole: fc.constantFrom('named', 'missing'),
  responseRole: fc.constantFrom('user', 'function'),
})

const imagePart = fc.constantFrom<GeminiPart>(
  { inlineData: { mimeType: 'image/png', data: PNG } },
  { fileData: { mimeType: 'image/jpeg', fileUri: 'files/abc' } },
)

const documentPart = fc.constantFrom<GeminiPart>(
  { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0xLjQKJSVFT0Y=' } },
  { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' } },
  { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
)

/** Parts that this library does not know, and fields on parts that it does not read. */
const foreignPart = fc.constantFrom<GeminiPart>(
  { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
  { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 's1', args: { queries: ['x'] } } } as GeminiPart,
  { futurePart: { deep: [1, { a: null }] } } as GeminiPart,
)

const signature = fc.constantFrom('c2lnbmF0dXJlLW9uZQ==', 'c2lnbmF0dXJlLXR3bw==')

const extraField = fc.constantFrom({}, {}, { partMetadata: { note: 'kept', number: EXACT } })

const injected = injectedWords.map((text): GeminiPart => ({ text }))

const userParts = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(words).map(([text]): GeminiPart[] => [{ text }]) },
  { weight: 1, arbitrary: fc.tuple(injected, words).map(([first, text]): GeminiPart[] => [first, { text }]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(words, fc.array(fc.oneof(imagePart, documentPart), { minLength: 1, maxLength: 3 }), extraField)
      .map(([text, media, extra]): GeminiPart[] => [{ text, ...extra }, ...media]),
  },
)

const thoughtPart = fc.tuple(words, fc.option(signature, { nil: undefined })).map(
  ([text, thoughtSignature]): GeminiPart => ({
    text,
    thought: true,
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  }),
)

const modelText = fc.oneof(
  { weight: 4, arbitrary: words.map((text): GeminiPart => ({ text })) },
  { weight: 1, arbitrary: fc.tuple(words, signature).map(([text, thoughtSignature]) => ({ text, thoughtSignature })) },
  // The last chunk of a stream: no text, only the signature.
  { weight: 1, arbitrary: signature.map((thoughtSignature): GeminiPart => ({ text: '', thoughtSignature })) },
)

const response = fc.oneof(
  fc.record({ output: words }),
  fc.record({ error: words }),
  fc.record({ result: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }) }),
  fc.record({ content: words, exitCode: fc.integer() }),
  fc.record({ content: words.map((text) => [{ type: 'text', text }]), isError: fc.boolean() }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
)

interface Step {
  readonly before: readonly GeminiPart[]
  readonly calls: readonly { readonly name: string; readonly args: object; readonly signature: string | undefined }[]
  readonly responses: readonly { readonly response: object; readonly media: readonly GeminiPart[] }[]
}

/** One model call with 1 to 6 parallel calls, and all its responses. */
const step: fc.Arbitrary<Step> = fc.integer({ min: 1, max: 6 }).chain((count) =>
  fc.record({
    before: fc
      .tuple(
        fc.option(thoughtPart, { nil: undefined }),
        fc.option(modelText, { nil: undefined }),
        fc.option(foreignPart, { nil: undefined, freq: 5 }),
      )
      .map((parts) => parts.filter((part) => part !== undefined)),
    calls: fc.array(
      fc.record({
        name: fc.constantFrom('read_file', 'read_file', 'run', 'grep'),
        args: toolInput,
        signature: fc.option(signature, { nil: undefined }),
      }),
      { minLength: count, maxLength: count },
    ),
    responses: fc.array(
      fc.record({
        response,
        media: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(imagePart) }),
      }),
      { minLength: count, maxLength: count },
    ),
  }),
)

interface Turn {
  readonly user: readonly GeminiPart[]
  readonly steps: readonly Step[]
  /** Missing: the user spoke into the turn, or it is still open. */
  readonly answer: readonly GeminiPart[] | undefined
}

const turn: fc.Arbitrary<Turn> = fc.record({
  user: userParts,
  steps: fc.array(step, { maxLength: 4 }),
  answer: fc.option(
    fc
      .tuple(fc.array(thoughtPart, { maxLength: 1 }), fc.array(modelText, { minLength: 1, maxLength: 2 }))
      .map((parts) => parts.flat()),
    { nil: undefined, freq: 3 },
  ),
})

/** Valid requests of 1 to 60 contents, as real clients write them: the dialect's check finds nothing in them. */
export const arbitraryRequest: fc.Arbitrary<GeminiRequest> = fc
  .record({
    style,
    turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    openEnd: fc.constantFrom('as it is', 'user text', 'results'),
    body: fc.constantFrom<Omit<GeminiRequest, 'contents'>>(
      {},
      {
        systemInstruction: { parts: [{ text: 'You are terse.' }] },
        tools: [{ functionDeclarations: [{ name: 'read_file', parameters: { type: 'object', properties: {} } }] }],
        generationConfig: { maxOutputTokens: 8192, thinkingConfig: { thinkingBudget: 2048 }, temperature: 0 },
        safetySettings: [{ category: 'X', threshold: 'Y' }],
      } as Omit<GeminiRequest, 'contents'>,
      { cachedContent: 'cachedContents/abc', labels: { team: 'a' } } as Omit<GeminiRequest, 'contents'>,
    ),
  })
  .map(({ style, turns, openEnd, body }) => {
    const contents = endingIn(
      openEnd,
      turns.flatMap((one, at) => turnContents(one, style, at)),
    )
    const request = { ...body, contents }
    return (style.snakeCase ? snakeCased(request) : request) as GeminiRequest
  })

function endingIn(end: 'as it is' | 'user text' | 'results', contents: readonly GeminiContent[]): GeminiContent[] {
  const isResult = (content: GeminiContent) => content.parts?.some((part) => part.functionResponse) === true
  const wanted = contents.findLastIndex((content) =>
    end === 'results' ? isResult(content) : end === 'user text' ? content.role !== 'model' && !isResult(content) : true,
  )
  return contents.slice(0, wanted < 0 ? contents.length : wanted + 1)
}

function turnContents(turn: Turn, style: Style, turnNumber: number): GeminiContent[] {
  const user: GeminiContent = { ...(style.userRole === 'named' && { role: 'user' }), parts: turn.user }
  const steps = turn.steps.flatMap((one, at) => stepContents(one, style, (turnNumber + at) % 2))
  // Two user contents in a row would be the client's fault where roles alternate.
  const answer = turn.answer ?? (turn.steps.length === 0 ? [{ text: 'ok' }] : undefined)
  return [user, ...steps, ...(answer === undefined ? [] : [modelContent(answer)])]
}

/** With a field that this library does not know. */
function modelContent(parts: readonly GeminiPart[]): GeminiContent {
  return { role: 'model', parts, ...{ avgLogprobs: -0.5 } }
}

/** Ids repeat in the session: servers that number calls start again at each step. */
function stepContents(step: Step, style: Style, series: number): GeminiContent[] {
  const idOf = (at: number) => (style.ids ? { id: `call_${series}_${at}` } : {})
  const calls = step.calls.map(
    (call, at): GeminiPart => ({
      functionCall: { ...idOf(at), name: call.name, args: call.args },
      ...(call.signature !== undefined && { thoughtSignature: call.signature }),
    }),
  )
  const responses = step.responses.map(
    ({ response: object, media }, at): GeminiPart => ({
      functionResponse: {
        ...idOf(at),
        name: step.calls[at]?.name ?? '',
        response: object,
        ...(media.length > 0 && { parts: media }),
      },
    }),
  )
  return [
    { role: 'model', parts: [...step.before, ...calls] },
    { role: style.responseRole, parts: responses },
  ]
}

/** The same body in the other spelling; what tools were called with and what they answered is left as it is. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      key === 'args' || key === 'response' || key === 'properties' ? inner : snakeCased(inner),
    ]),
  )
}
