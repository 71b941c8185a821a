import type { LangChainRequest } from '../../dialects/langchain/index.ts'

/** A call to a model, as `wrapModelCall` gets it from an agent. */
export interface AgentRequest extends LangChainRequest {
  readonly runtime?: AgentRuntime
}

/** What the graph tells of a run, as far as it is read here. */
export interface AgentRuntime {
  readonly configurable?: { readonly thread_id?: string; readonly [name: string]: unknown } | undefined
  readonly context?: unknown
  readonly signal?: AbortSignal | undefined
}

/** An agent's middleware, as `createAgent` and `createDeepAgent` take it. */
export interface LangChainMiddleware {
  readonly name: string
  /** Tools that the agent gets with it. */
  readonly tools?: LangChainTool[]
  /** Compacts before the call and answers its overflow. @throws ContextOverflowError where nothing fits. */
  wrapModelCall<Request extends AgentRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>
}

/** A tool that runs in the client. A type, not an interface: LangChain's tools without a class have an index signature. */
export type LangChainTool = {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly schema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, object>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
  /** By this LangChain tells tools of the client from those that a provider runs. */
  readonly lc_runnable: true
  readonly lc_namespace: string[]
  readonly returnDirect: false
  /** What the model reads. Takes a call of a model, or arguments alone. Never throws. */
  readonly invoke: (call: unknown, config?: unknown) => Promise<string>
}
