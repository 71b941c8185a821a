export { ContextOverflowError } from '../../compactor/context-overflow-error.ts'
export {
  type LangChainMessage,
  type LangChainOptions,
  type LangChainRequest,
  langChainDialect,
  langchain,
} from '../../dialects/langchain/index.ts'
export type { AgentRequest, AgentRuntime, LangChainMiddleware, LangChainTool } from './agent-middleware.ts'
export { DEEPAGENTS_SUMMARIZATION, palimpsestMiddleware } from './palimpsest-middleware.ts'
export type { PalimpsestOptions, SummarizerModel, SummaryCallOptions } from './palimpsest-options.ts'
