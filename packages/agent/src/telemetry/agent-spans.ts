import type { Usage } from 'palimpsest'
import {
  ATTRIBUTES,
  OPERATIONS,
  type OperationSpan,
  providerName,
  type SpansInForce,
  type Telemetry,
} from 'palimpsest/otel'
import type { AgentEvent } from '../loop/agent-event.ts'

export interface AgentSpansSetup {
  readonly telemetry: Telemetry
  /** The agents that are in a turn, by session. */
  readonly running: Map<string, AgentSpans>
  /** The tool that started a sub-agent. */
  readonly parent?: OperationSpan | undefined
}

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>

const AGENT = 'palimpsest'
const SUB_AGENT = 'palimpsest sub-agent'

/** The open spans of one agent, and of its sub-agents. */
export class AgentSpans {
  readonly #setup: AgentSpansSetup
  readonly #tools = new Map<string, OperationSpan>()
  readonly #subAgents = new Map<string, AgentSpans>()
  #session = ''
  #turn: OperationSpan | undefined
  #chat: OperationSpan | undefined

  constructor(setup: AgentSpansSetup) {
    this.#setup = setup
  }

  get inForce(): SpansInForce {
    const [turn, chat] = [this.#turn?.span, this.#chat?.span]
    return { ...(turn !== undefined && { turn }), ...(chat !== undefined && { chat }) }
  }

  take(event: AgentEvent): void {
    switch (event.type) {
      case 'turn-started':
        this.#startTurn(event)
        return
      case 'step-started':
        this.#startChat(event)
        return
      case 'step-ended':
        this.#endChat(event)
        return
      case 'tool-call':
        this.#startTool(event)
        return
      case 'tool-result':
        this.#endTool(event)
        return
      case 'sub-agent':
        this.#subAgent(event.id).take(event.event)
        return
      case 'turn-ended':
        this.#endTurn(event)
    }
  }

  #startTurn({ session }: Of<'turn-started'>): void {
    const { telemetry, running, parent } = this.#setup
    const name = parent === undefined ? AGENT : SUB_AGENT
    const attributes = { [ATTRIBUTES.agent]: name, [ATTRIBUTES.conversation]: session }
    this.#session = session
    this.#turn = telemetry.startOperation(OPERATIONS.agent, name, { parent, attributes })
    running.set(session, this)
  }

  #startChat({ model }: Of<'step-started'>): void {
    const { telemetry } = this.#setup
    // a step that ends without an answer is not told
    this.#chat?.end()
    const { id, provider } = modelNamed(model)
    const attributes = {
      [ATTRIBUTES.requestModel]: id,
      [ATTRIBUTES.conversation]: this.#session,
      ...(provider !== undefined && { [ATTRIBUTES.provider]: provider }),
    }
    this.#chat = telemetry.startOperation(OPERATIONS.chat, id, { parent: this.#turn, attributes })
    const { chat, turn } = this.inForce
    if (chat !== undefined) telemetry.markChat(chat, { session: this.#session, ...(turn !== undefined && { turn }) })
  }

  #endChat({ usage }: Of<'step-ended'>): void {
    if (usage !== undefined) this.#chat?.set(usageAttributes(usage))
    this.#chat?.end()
    this.#chat = undefined
  }

  #startTool({ id, name }: Of<'tool-call'>): void {
    const attributes = {
      [ATTRIBUTES.tool]: name,
      [ATTRIBUTES.toolCall]: id,
      [ATTRIBUTES.toolType]: 'function',
      [ATTRIBUTES.conversation]: this.#session,
    }
    const options = { parent: this.#turn, attributes }
    this.#tools.set(id, this.#setup.telemetry.startOperation(OPERATIONS.tool, name, options))
  }

  #endTool({ id, failed }: Of<'tool-result'>): void {
    this.#tools.get(id)?.end(failed ? 'tool-failed' : undefined)
    this.#tools.delete(id)
    this.#subAgents.delete(id)
  }

  #subAgent(id: string): AgentSpans {
    const known = this.#subAgents.get(id)
    if (known !== undefined) return known
    const fresh = new AgentSpans({ ...this.#setup, parent: this.#tools.get(id) ?? this.#turn })
    this.#subAgents.set(id, fresh)
    return fresh
  }

  /** What is still open ends with the turn. */
  #endTurn({ outcome, error }: Of<'turn-ended'>): void {
    const failure = outcome === 'failed' ? (error?.code ?? 'failed') : undefined
    for (const tool of this.#tools.values()) tool.end(failure)
    this.#tools.clear()
    this.#subAgents.clear()
    this.#chat?.end(failure)
    this.#chat = undefined
    this.#turn?.end(failure)
    this.#turn = undefined
    this.#setup.running.delete(this.#session)
  }
}

/** `anthropic:claude-sonnet-5` */
function modelNamed(name: string): { readonly id: string; readonly provider: string | undefined } {
  const colon = name.indexOf(':')
  return { id: name.slice(colon + 1), provider: colon < 0 ? undefined : providerName(name.slice(0, colon)) }
}

function usageAttributes({ input, output, cacheRead, cacheWrite }: Usage) {
  return {
    [ATTRIBUTES.inputTokens]: input,
    [ATTRIBUTES.outputTokens]: output,
    [ATTRIBUTES.cacheReadTokens]: cacheRead,
    [ATTRIBUTES.cacheWriteTokens]: cacheWrite,
  }
}
