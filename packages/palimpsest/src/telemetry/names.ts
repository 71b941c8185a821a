/**
 * Every name that telemetry carries: spans, span events, attributes, metrics with units and bucket advice, log lines. Dashboards,
 * alert rules and documents are checked against this file.
 */

/** Release of the OpenTelemetry semantic conventions that the `gen_ai.*` names are taken from. */
export const SEMANTIC_CONVENTIONS = '1.41.0'

/** Name of the tracer, the meter and the logger. */
export const SCOPE = 'palimpsest'

/** Values of `gen_ai.operation.name`; a span is named after its operation and what it works on: `chat claude-sonnet-4-5`. */
export const OPERATIONS = {
  chat: 'chat',
  agent: 'invoke_agent',
  tool: 'execute_tool',
} as const

/** Events on spans. */
export const SPAN_EVENTS = {
  /** On the turn span: the conversation was compacted. */
  compacted: 'gen_ai.conversation.compacted',
  /** On the turn span: the provider refused a request as too large, and a smaller one is tried. */
  overflowRetry: 'provider.context_overflow_retry',
} as const

/** Attributes of spans, span events and metrics. */
export const ATTRIBUTES = {
  // of the semantic conventions
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tokenType: 'gen_ai.token.type',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  errorType: 'error.type',
  /** On the next chat span after a compaction; never false. */
  compacted: 'gen_ai.conversation.compacted',
  // our own
  tokensBefore: 'palimpsest.tokens.before',
  tokensAfter: 'palimpsest.tokens.after',
  messagesEvicted: 'palimpsest.messages.evicted',
  compactionReason: 'palimpsest.compaction.reason',
  /** Where the evicted messages can be read. */
  path: 'palimpsest.fs.path',
  strategies: 'palimpsest.compaction.strategies',
  purpose: 'palimpsest.call.purpose',
  /** Texts that the summariser's model wrote and that were refused. */
  rejectedSummaries: 'palimpsest.summary.rejected',
  overflowKind: 'palimpsest.overflow.kind',
  overflowAttempt: 'palimpsest.overflow.attempt',
  overflowLimit: 'palimpsest.overflow.limit',
  overflowSize: 'palimpsest.overflow.size',
  overflowRemedy: 'palimpsest.overflow.remedy',
  /** Of metrics: why a compaction ran. */
  reason: 'reason',
} as const

/** What a model call was for: values of `palimpsest.call.purpose`. */
export const PURPOSES = { main: 'main', summarize: 'summarize' } as const

/** Values of `palimpsest.compaction.reason` and `reason`: why a compaction ran; `truncate`: at the threshold, and cutting tool payloads was enough. */
export const REASONS = ['threshold', 'overflow', 'tool', 'manual', 'truncate'] as const

const CONTEXT_BUCKETS = [
  1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 48_000, 64_000, 96_000, 128_000, 160_000, 200_000, 256_000, 400_000,
  600_000, 1_000_000, 2_000_000,
]
/** What the semantic conventions say of this metric. */
const TOKEN_BUCKETS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
]
const MESSAGE_BUCKETS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
const RATIO_BUCKETS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

/** A metric: what kind of instrument, its unit (UCUM), what it tells, its attributes, and bucket advice for a histogram. */
export interface MetricDefinition {
  readonly name: string
  readonly kind: 'counter' | 'histogram' | 'gauge'
  readonly unit: string
  readonly description: string
  readonly attributes: readonly string[]
  readonly buckets?: readonly number[]
}

const { requestModel, provider, operation, tokenType, purpose, reason } = ATTRIBUTES

/** Instruments: name, kind, unit, description, their attributes, and where the buckets of histograms should end. */
export const METRICS = {
  inputTokens: {
    name: 'palimpsest.context.input_tokens',
    kind: 'histogram',
    unit: '{token}',
    description: 'Tokens of the context that a model read, as its provider counted them.',
    attributes: [requestModel],
    buckets: CONTEXT_BUCKETS,
  },
  window: {
    name: 'palimpsest.context.window',
    kind: 'gauge',
    unit: '{token}',
    description: 'Window of the model, as it was known at its newest answer.',
    attributes: [requestModel],
  },
  compactions: {
    name: 'palimpsest.context.compactions',
    kind: 'counter',
    unit: '{compaction}',
    description: 'Compactions applied, by reason.',
    attributes: [reason],
  },
  failedCompactions: {
    name: 'palimpsest.context.compactions_failed',
    kind: 'counter',
    unit: '{compaction}',
    description: 'Compactions that came to nothing, by reason; cancelled ones are not counted.',
    attributes: [reason],
  },
  compactionRatio: {
    name: 'palimpsest.context.compaction_ratio',
    kind: 'histogram',
    unit: '1',
    description: 'Size of the context after a compaction, as a share of its size before.',
    attributes: [reason],
    buckets: RATIO_BUCKETS,
  },
  storeFailures: {
    name: 'palimpsest.context.store_failures',
    kind: 'counter',
    unit: '{failure}',
    description: 'Calls of the stores that failed.',
    attributes: [],
  },
  evictedMessages: {
    name: 'palimpsest.context.evicted_messages',
    kind: 'histogram',
    unit: '{message}',
    description: 'Messages that left the view in one compaction.',
    attributes: [],
    buckets: MESSAGE_BUCKETS,
  },
  truncatedArguments: {
    name: 'palimpsest.context.tool_args_truncated',
    kind: 'counter',
    unit: '{call}',
    description: 'Tool calls whose arguments were shortened.',
    attributes: [],
  },
  overflowRetries: {
    name: 'palimpsest.context.overflow_retries',
    kind: 'counter',
    unit: '{retry}',
    description: 'Smaller requests that were tried after the provider had refused one as too large.',
    attributes: [requestModel],
  },
  tokenUsage: {
    name: 'gen_ai.client.token.usage',
    kind: 'histogram',
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    attributes: [operation, provider, requestModel, tokenType, purpose],
    buckets: TOKEN_BUCKETS,
  },
  cacheReadRatio: {
    name: 'palimpsest.cache.read_ratio',
    kind: 'histogram',
    unit: '1',
    description: 'Share of the input tokens of one call that were read from the prompt cache.',
    attributes: [requestModel],
    buckets: RATIO_BUCKETS,
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** The one info line of each compaction: its body and event name, and which attributes it carries. */
export const COMPACTION_LOG = {
  body: 'context compacted',
  event: 'palimpsest.compaction',
  attributes: [
    ATTRIBUTES.conversation,
    ATTRIBUTES.requestModel,
    ATTRIBUTES.tokensBefore,
    ATTRIBUTES.tokensAfter,
    ATTRIBUTES.messagesEvicted,
    ATTRIBUTES.compactionReason,
    ATTRIBUTES.path,
  ],
} as const
