import { aiSdk } from '../dialects/ai-sdk/index.ts'
import { arbitraryRequest as aiSdkRequests } from '../dialects/ai-sdk/arbitrary-request.test-data.ts'
import { anthropicMessages } from '../dialects/anthropic-messages/index.ts'
import { arbitraryRequest as anthropicRequests } from '../dialects/anthropic-messages/arbitrary-request.test-data.ts'
import { bedrockConverse } from '../dialects/bedrock-converse/index.ts'
import { arbitraryRequest as bedrockRequests } from '../dialects/bedrock-converse/arbitrary-request.test-data.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { gemini } from '../dialects/gemini/index.ts'
import { arbitraryRequest as geminiRequests } from '../dialects/gemini/arbitrary-request.test-data.ts'
import { openaiChat } from '../dialects/openai-chat/index.ts'
import { arbitraryRequest as chatRequests } from '../dialects/openai-chat/arbitrary-request.test-data.ts'
import { openaiResponses } from '../dialects/openai-responses/index.ts'
import { arbitraryRequest as responsesRequests } from '../dialects/openai-responses/arbitrary-request.test-data.ts'
import { compactionLaws } from './compaction-laws.test-data.ts'

const general = (dialect: unknown) => dialect as Dialect<unknown, object>

compactionLaws(general(anthropicMessages), anthropicRequests)
compactionLaws(general(openaiResponses), responsesRequests())
compactionLaws(general(openaiChat), chatRequests())
compactionLaws(general(gemini), geminiRequests)
compactionLaws(general(bedrockConverse), bedrockRequests)
compactionLaws(general(aiSdk), aiSdkRequests)
