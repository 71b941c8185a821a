import { arbitraryRequest } from '../dialects/openai-responses/arbitrary-request.test-data.ts'
import { openaiResponses } from '../dialects/openai-responses/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

compactionLaws(ofAnyItem(openaiResponses), arbitraryRequest)
