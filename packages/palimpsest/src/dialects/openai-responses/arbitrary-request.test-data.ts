import fc from 'fast-check'
import { EXACT, MAX_ITEMS, toolInputText, wholeTurns, words } from '../arbitrary-parts.test-data.ts'
import { isModelSaid } from './families.ts'
import type { ResponsesItem, ResponsesRequest } from './items.ts'

/** How a client keeps its history: where reasoning lives decides which ids must be there. */
type Keeping = 'stored' | 'stored, sealed' | 'unstored' | 'unstored, with ids' | 'unsaid, no ids'

const keepings = fc.constantFrom<Keeping>(
  'stored',
  'stored, sealed',
  'unstored',
  'unstored, with ids',
  'unsaid, no ids',
)

function listRequest(keeping: fc.Arbitrary<Keeping>): fc.Arbitrary<ResponsesRequest> {
  const parts = fc.record({
    settings: settings(),
    keeping,
    opening: fc.array(fc.constantFrom('developer', 'system'), { maxLength: 2 }),
    turns: fc.array(turn(), { minLength: 1, maxLength: 6 }),
    isOpen: fc.boolean(),
  })
  return parts.map(({ settings, keeping, opening, turns, isOpen }) => {
    const writer = new ItemWriter(keeping)
    const leading = opening.map((role, index) => ({ role, content: `Rule ${index}` }))
    const items = turns.map((one, index) => writer.turn(one, isOpen && index === turns.length - 1))
    return { ...settings, ...storeOf(keeping), input: [...leading, ...wholeTurns(items, MAX_ITEMS - leading.length)] }
  })
}

function storeOf(keeping: Keeping): Pick<ResponsesRequest, 'store' | 'include'> {
  if (keeping.startsWith('stored')) return { store: true }
  return keeping.startsWith('unstored') ? { store: false, include: ['reasoning.encrypted_content'] } : {}
}

function settings(): fc.Arbitrary<ResponsesRequest> {
  return fc.record(
    {
      model: fc.constantFrom('gpt-5.6', 'gpt-5.3-codex', 'some-server/model'),
      instructions: words,
      tools: fc.constant([
        { type: 'function', name: 'read', parameters: { type: 'object' } },
        { type: 'custom', name: 'patch' },
      ]),
      max_output_tokens: fc.integer({ min: 16, max: 64_000 }),
      stream: fc.boolean(),
      temperature: fc.constantFrom(0, 1),
      metadata: fc.constant({ trace: 'a1' }),
      prompt_cache_options: fc.constant({ mode: 'explicit' }),
      previous_response_id: fc.constantFrom(null, 'resp_1'),
      conversation: fc.constantFrom(null, 'conv_1', { id: 'conv_1' }),
    },
    { requiredKeys: ['model'] },
  )
}

/** A valid PNG head of 640 x 480. */
const IMAGE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk'

const contentList = fc.array(
  fc.oneof(
    words.map((text) => ({ type: 'input_text', text })),
    fc.constantFrom(
      { type: 'input_image', detail: 'auto', image_url: IMAGE },
      { type: 'input_image', detail: 'low', file_id: 'file-1' },
    ),
    fc.constant({ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }),
    fc.constant({ type: 'input_hologram', depth: 3 }),
  ),
  { minLength: 1, maxLength: 3 },
)

const FAMILIES = [
  'function_call',
  'function_call',
  'custom_tool_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
  'computer_call',
  'tool_search_call',
] as const

interface CallSpec {
  readonly family: (typeof FAMILIES)[number]
  readonly input: string
  readonly text: string
  readonly output: string | readonly object[]
  readonly extra: boolean
}

function call(): fc.Arbitrary<CallSpec> {
  return fc.record({
    family: fc.constantFrom(...FAMILIES),
    input: fc.oneof({ weight: 9, arbitrary: toolInputText }, { weight: 1, arbitrary: fc.constant('') }),
    text: words,
    output: fc.oneof(
      { weight: 3, arbitrary: words },
      { weight: 1, arbitrary: contentList },
      { weight: 1, arbitrary: fc.constant('') },
    ),
    extra: fc.boolean(),
  })
}

const HOSTED = [
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'telepathy_call',
] as const

interface StepSpec {
  readonly reasoning: number
  readonly says: string | undefined
  readonly hosted: readonly (typeof HOSTED)[number][]
  readonly calls: readonly CallSpec[]
  /** Each output directly behind its call, instead of all outputs behind all calls. */
  readonly isInterleaved: boolean
  readonly approval: boolean
}

function step(): fc.Arbitrary<StepSpec> {
  return fc.record({
    reasoning: fc.constantFrom(0, 1, 1, 2),
    says: fc.option(words, { nil: undefined }),
    hosted: fc.array(fc.constantFrom(...HOSTED), { maxLength: 1 }),
    calls: fc.array(call(), { minLength: 1, maxLength: 4 }),
    isInterleaved: fc.boolean(),
    approval: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
  })
}

interface TurnSpec {
  readonly before: 'nothing' | 'developer' | 'additional_tools' | 'compaction' | 'item_reference'
  readonly user: string | readonly object[]
  readonly isShort: boolean
  readonly steps: readonly StepSpec[]
  readonly answer: StepSpec
  /** Call ids start again from 1, as some servers number them. */
  readonly reusesIds: boolean
}

function turn(): fc.Arbitrary<TurnSpec> {
  return fc.record({
    before: fc.constantFrom(
      'nothing',
      'nothing',
      'nothing',
      'developer',
      'additional_tools',
      'compaction',
      'item_reference',
    ),
    user: fc.oneof(words, contentList),
    isShort: fc.boolean(),
    steps: fc.array(step(), { maxLength: 3 }),
    answer: step(),
    reusesIds: fc.boolean(),
  })
}

/** Writes items with ids as the way of keeping asks for them. */
class ItemWriter {
  readonly #keeping: Keeping
  #ids = 0
  #calls = 0

  constructor(keeping: Keeping) {
    this.#keeping = keeping
  }

  turn(spec: TurnSpec, isOpen: boolean): readonly ResponsesItem[] {
    if (spec.reusesIds) this.#calls = 0
    const user = spec.isShort
      ? { role: 'user', content: spec.user }
      : { type: 'message', role: 'user', content: spec.user }
    const steps = spec.steps.flatMap((one) => this.#step(one))
    return [...this.#before(spec.before), user, ...steps, ...(isOpen ? [] : this.#answer(spec.answer))]
  }

  #before(kind: TurnSpec['before']): readonly ResponsesItem[] {
    switch (kind) {
      case 'nothing':
        return []
      case 'developer':
        return [
          { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] } as ResponsesItem,
        ]
      case 'additional_tools':
        return [
          { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'late' }] } as ResponsesItem,
        ]
      case 'compaction':
        return [item({ type: 'compaction', encrypted_content: `gAAAA${this.#ids}`, ...this.#id('cmp') })]
      case 'item_reference':
        return this.#keeping.startsWith('unstored') ? [] : [{ type: 'item_reference', id: `msg_${this.#ids++}` }]
    }
  }

  #step(spec: StepSpec): readonly ResponsesItem[] {
    const pairs = spec.calls.map((one) => this.#pair(one))
    const acted = spec.isInterleaved
      ? pairs.flat()
      : [...pairs.map(([asked]) => asked), ...pairs.map(([, answered]) => answered)]
    return [...this.#opening(spec), ...acted, ...(spec.approval ? this.#approval() : [])]
  }

  #answer(spec: StepSpec): readonly ResponsesItem[] {
    return [
      ...this.#reasoning(spec.reasoning),
      ...spec.hosted.map((type) => this.#hosted(type)),
      this.#message(spec.says ?? 'Done.'),
    ]
  }

  #opening(spec: StepSpec): readonly ResponsesItem[] {
    const said = spec.says === undefined ? [] : [this.#message(spec.says)]
    return [...this.#reasoning(spec.reasoning), ...said, ...spec.hosted.map((type) => this.#hosted(type))]
  }

  #message(text: string): ResponsesItem {
    const hasId = 'id' in this.#id('msg')
    const content = [{ type: 'output_text', text, annotations: [], ...(hasId && { logprobs: [] }) }]
    return { type: 'message', role: 'assistant', status: 'completed', content, ...this.#id('msg') }
  }

  #reasoning(count: number): readonly ResponsesItem[] {
    const summary = [{ type: 'summary_text', text: 'Thinking about it.' }]
    const isSealed = this.#keeping !== 'stored'
    return Array.from({ length: count }, () => {
      const sealed = isSealed && { encrypted_content: `gAAAAABo${'x'.repeat(40)}${this.#ids++}` }
      return item({ type: 'reasoning', summary, ...sealed, ...this.#id('rs') })
    })
  }

  #pair(spec: CallSpec): readonly [ResponsesItem, ResponsesItem] {
    const callId = `call_${++this.#calls}`
    const extra = spec.extra && { x_origin: { turn: EXACT }, caller: { type: 'direct' } }
    const ids = { call_id: callId, ...extra }
    const call = { ...callFields(spec), ...ids, ...this.#id('fc') } as ResponsesItem
    return [call, { ...outputFields(spec), ...ids } as ResponsesItem]
  }

  #approval(): readonly ResponsesItem[] {
    const id = `mcpr_${this.#ids++}`
    return [
      { type: 'mcp_approval_request', id, name: 'deploy', server_label: 'ops', arguments: '{}' } as ResponsesItem,
      { type: 'mcp_approval_response', approval_request_id: id, approve: true } as ResponsesItem,
    ]
  }

  #hosted(type: (typeof HOSTED)[number]): ResponsesItem {
    return { type, status: 'completed', ...HOSTED_FIELDS[type], ...this.#id('ws') } as ResponsesItem
  }

  #id(prefix: string): { id: string } | Record<string, never> {
    const hasIds = this.#keeping !== 'unstored' && this.#keeping !== 'unsaid, no ids'
    return hasIds ? { id: `${prefix}_${this.#ids++}` } : {}
  }
}

const HOSTED_FIELDS: Readonly<Record<(typeof HOSTED)[number], object>> = {
  web_search_call: { action: { type: 'search', query: 'release notes' } },
  file_search_call: { queries: ['limits'], results: null },
  code_interpreter_call: { code: 'print(1)', container_id: 'c1', outputs: [{ type: 'logs', logs: '1' }] },
  image_generation_call: { result: IMAGE.slice(IMAGE.indexOf(',') + 1) },
  mcp_call: { name: 'lookup', server_label: 'ops', arguments: '{"q":1}', output: 'found' },
  telepathy_call: { wave: 7 },
}

function callFields({ family, input, text }: CallSpec): object {
  switch (family) {
    case 'function_call':
      return { type: family, name: 'read', arguments: input }
    case 'custom_tool_call':
      return { type: family, name: 'patch', input: text }
    case 'shell_call':
      return { type: family, action: { commands: [text], max_output_length: 1000 } }
    case 'local_shell_call':
      return { type: family, status: 'completed', action: { type: 'exec', command: ['sh', '-c', text], env: {} } }
    case 'apply_patch_call':
      return { type: family, status: 'completed', operation: { type: 'update_file', path: 'a.ts', diff: text } }
    case 'computer_call':
      return { type: family, status: 'completed', pending_safety_checks: [], actions: [{ type: 'screenshot' }] }
    case 'tool_search_call':
      return { type: family, execution: 'client', arguments: { query: text } }
  }
}

function outputFields({ family, text, output }: CallSpec): object {
  switch (family) {
    case 'function_call':
      return { type: 'function_call_output', output }
    case 'custom_tool_call':
      return { type: 'custom_tool_call_output', output }
    case 'shell_call':
      return {
        type: 'shell_call_output',
        output: [{ stdout: text, stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      }
    case 'local_shell_call':
      return { type: 'local_shell_call_output', output: text }
    case 'apply_patch_call':
      return { type: 'apply_patch_call_output', status: 'completed', output: text }
    case 'computer_call':
      return { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: IMAGE } }
    case 'tool_search_call':
      return { type: 'tool_search_output', execution: 'client', tools: [{ type: 'function', name: text }] }
  }
}

function item(fields: object): ResponsesItem {
  return fields
}

/**
 * Valid Responses requests of 1 to 60 items: reasoning with parallel calls of every family, hosted calls, approvals,
 * compaction items, pictures and files, developer items, kinds and fields that nobody knows, with and without ids and store,
 * ending in the user's words, in outputs, or in an answer.
 */
export const arbitraryRequest: fc.Arbitrary<ResponsesRequest> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ input: words, settings: settings() }).map(({ input, settings }) => ({ ...settings, input })),
  },
  { weight: 12, arbitrary: listRequest(keepings) },
)

/** The same of a client that sends what the provider stored as references, with outputs and words in full. */
export const arbitraryReferringRequest: fc.Arbitrary<ResponsesRequest> = listRequest(keepings).map((request) => ({
  ...request,
  store: true,
  input: listOf(request.input).map(asReference),
}))

/** The same as Codex sends it: nothing is stored, everything is streamed, nothing caps the output. */
export const arbitraryCodexRequest: fc.Arbitrary<ResponsesRequest> = listRequest(
  fc.constantFrom<Keeping>('unstored', 'unstored, with ids'),
).map(({ max_output_tokens: _cap, previous_response_id: _previous, conversation: _conversation, ...request }) => ({
  ...request,
  instructions: request.instructions ?? 'You are an agent.',
  stream: true,
}))

function listOf(input: ResponsesRequest['input']): readonly ResponsesItem[] {
  return typeof input === 'string' ? [] : (input ?? [])
}

function asReference(item: ResponsesItem): ResponsesItem {
  const isStored = typeof item.id === 'string' && isModelSaid(item) && item.type !== 'compaction'
  return isStored ? { type: 'item_reference', id: item.id } : item
}
