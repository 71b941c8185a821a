import { arbitraryRequest as anthropicRequests } from '../dialects/anthropic-messages/arbitrary-request.test-data.ts'
import { anthropicMessages } from '../dialects/anthropic-messages/index.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { arbitraryRequest as geminiRequests } from '../dialects/gemini/arbitrary-request.test-data.ts'
import { gemini } from '../dialects/gemini/index.ts'
import { arbitraryRequest as responsesRequests } from '../dialects/openai-responses/arbitrary-request.test-data.ts'
import { openaiResponses } from '../dialects/openai-responses/index.ts'
import { compactionLaws } from './compaction-laws.test-data.ts'

const general = (dialect: unknown) => dialect as Dialect<unknown, object>

compactionLaws(general(anthropicMessages), anthropicRequests)
compactionLaws(general(openaiResponses), responsesRequests())
compactionLaws(general(gemini), geminiRequests)
