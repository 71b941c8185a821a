import { arbitraryRequest } from '../dialects/ai-sdk/arbitrary-request.test-data.ts'
import { aiSdk } from '../dialects/ai-sdk/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

compactionLaws(ofAnyItem(aiSdk), arbitraryRequest)
