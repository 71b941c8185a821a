import { arbitraryRequest } from '../dialects/openai-chat/arbitrary-request.test-data.ts'
import { openaiChat } from '../dialects/openai-chat/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

compactionLaws(ofAnyItem(openaiChat), arbitraryRequest)
