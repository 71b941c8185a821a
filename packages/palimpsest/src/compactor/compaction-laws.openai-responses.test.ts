import fc from 'fast-check'
import {
  arbitraryReferringRequest,
  arbitraryRequest,
} from '../dialects/openai-responses/arbitrary-request.test-data.ts'
import { openaiResponses } from '../dialects/openai-responses/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

const requests = fc.oneof(
  { weight: 3, arbitrary: arbitraryRequest },
  { weight: 1, arbitrary: arbitraryReferringRequest },
)

compactionLaws(ofAnyItem(openaiResponses), requests)
