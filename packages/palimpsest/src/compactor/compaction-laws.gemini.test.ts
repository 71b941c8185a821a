import { arbitraryRequest } from '../dialects/gemini/arbitrary-request.test-data.ts'
import { gemini } from '../dialects/gemini/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

compactionLaws(ofAnyItem(gemini), arbitraryRequest)
