export { ContextOverflowError } from '../../compactor/context-overflow-error.ts'
export type { AiSdkCallOptions } from '../../dialects/ai-sdk/index.ts'
export type { AskingConversation, ConversationScope } from './answering-calls.ts'
export type { LanguageModel, PalimpsestMiddleware, StreamedAnswer, WrappedCall } from './language-model.ts'
export { type ModelCall, modelCalls } from './model-call.ts'
export { type PalimpsestContext, palimpsest, palimpsestContext } from './palimpsest.ts'
export type { PalimpsestOptions, SummarizerModel } from './palimpsest-options.ts'
export {
  type PalimpsestTool,
  type PalimpsestTools,
  palimpsestTools,
  type ReadInput,
  type SearchInput,
  type ToolCallInfo,
  type ToolScope,
} from './palimpsest-tools.ts'
export { aiSdkSummarizer, type SummaryModel, type SummaryWatcher } from './run-summarizer.ts'
export type { ToolInput } from './tool-input.ts'
