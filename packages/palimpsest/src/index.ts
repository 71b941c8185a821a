// What is public, and meant to stay. The engine as a whole is `palimpsest/engine`; each adapter has its own path.

export {
  type CompactOptions,
  type CompactResult,
  compactConversation,
  conversationUnderPlan,
  type PlannedConversation,
} from './compactor/compact-conversation.ts'
export { type CompactionLimits, compactionLimits, type LimitOptions } from './compactor/compaction-limits.ts'
export type { Compactor, CompactorOptions, Prepared, PrepareOptions, Reader } from './compactor/compactor.ts'
export { ContextOverflowError } from './compactor/context-overflow-error.ts'
export { createCompactor } from './compactor/create-compactor.ts'
export { dialectMeter } from './compactor/dialect-meter.ts'
export type { CompactorEvent } from './compactor/events.ts'
export type { LearnedState } from './compactor/learned-state.ts'
// Requests, and what their histories are made of.
export type { AiSdkMessage, AiSdkRequest } from './dialects/ai-sdk/index.ts'
export type { AnthropicMessage, AnthropicRequest } from './dialects/anthropic-messages/index.ts'
export type { BedrockMessage, BedrockRequest } from './dialects/bedrock-converse/index.ts'
export type {
  CacheBreakpoints,
  Dialect,
  OverflowContext,
  OverflowFacts,
  StreamReader,
  Usage,
} from './dialects/dialect.ts'
export type { GeminiContent, GeminiRequest } from './dialects/gemini/index.ts'
export {
  aiSdk,
  anthropicMessages,
  bedrockConverse,
  DIALECTS,
  detectDialect,
  dialectByName,
  gemini,
  langchain,
  openaiChat,
  openaiCodex,
  openaiResponses,
} from './dialects/index.ts'
export type { LangChainMessage, LangChainRequest } from './dialects/langchain/index.ts'
export type { ChatMessage, ChatRequest } from './dialects/openai-chat/index.ts'
export type { ResponsesItem, ResponsesRequest } from './dialects/openai-responses/index.ts'

export {
  type CompactionReason,
  type CompactionRecord,
  type Conversation,
  countEvicted,
  DEFAULT_PRESET,
  decodePlan,
  decodePreset,
  encodePlan,
  estimateText,
  formatPlan,
  isEmptyPlan,
  type KeepWindow,
  type Ledger,
  LiveView,
  type MessageView,
  type ModelProfile,
  modelFamily,
  PalimpsestError,
  type PalimpsestErrorCode,
  type PartKind,
  type PartView,
  type Plan,
  PRESETS,
  type Preset,
  type ProfileOverrides,
  parseJson,
  parseProfileOverrides,
  presetByName,
  type RejectedRung,
  renderPlan,
  requestOverhead,
  spliceJson,
  type TokenMeter,
  Transcript,
  tokensOf,
  type Violation,
  withoutArtifacts,
} from './engine/index.ts'
export { compactResults } from './engine/manifest/compact-results.ts'
export { artifactPointer } from './engine/plan/artifact-pointer.ts'

export { type ProfileOptions, profileSession, type SessionProfile } from './profile/profile-session.ts'
export type { RecordedSession } from './profile/recorded-session.ts'
export { type SessionScale, sessionScale } from './profile/session-overhead.ts'
export { type ViewComposition, viewComposition } from './profile/view-composition.ts'
export { withInjected } from './profile/with-injected.ts'

export { type HistoryQuestion, readAnswer, searchAnswer } from './stores/history-answers.ts'
export { evictedEntries, type HistoryEntry } from './stores/history-entry.ts'
export { historyEntries } from './stores/history-text.ts'
export {
  COMPACTION_FOLLOWS,
  READ_ARGUMENTS,
  SEARCH_ARGUMENTS,
  TOOL_DESCRIPTIONS,
  TOOL_NAMES,
  TOOL_READER,
  type ToolArgument,
} from './stores/history-tools.ts'
export { type MemoryOptions, memoryStores } from './stores/memory-stores.ts'
export type {
  ArtifactStore,
  HistoryCall,
  HistorySession,
  HistoryStore,
  LearnedLimit,
  LimitScope,
  LimitStore,
  RecordStore,
  SearchCall,
  StoreCall,
  Stores,
} from './stores/ports.ts'
export {
  type HistoryPage,
  type HistoryRange,
  type OwnVersions,
  type ReadableHistory,
  readHistory,
} from './stores/read-history.ts'
export { type RedactionOptions, redacting, redactSecrets } from './stores/redaction.ts'
export {
  type HistoryMatch,
  type HistorySearch,
  type SearchBounds,
  searchHistory,
} from './stores/search-history.ts'
export {
  type FileAnswer,
  type FilePage,
  type FileSearch,
  type VirtualFiles,
  type VirtualScope,
  virtualFiles,
} from './stores/virtual-files.ts'
export { type TimeoutOptions, withTimeout } from './stores/with-timeout.ts'

export { extractiveSummarizerOf } from './summarizers/extractive-writer.ts'
export { type ModelSummarizerOptions, modelSummarizer } from './summarizers/model-summarizer.ts'
export type {
  Generate,
  Generated,
  GeneratePrompt,
  Summarizer,
  SummaryInput,
  SummaryOutcome,
  SummaryRejection,
  SummaryUsage,
} from './summarizers/summarizer.ts'
