import fc from 'fast-check'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryReferringRequest, arbitraryRequest } from './arbitrary-request.test-data.ts'
import { openaiResponses } from './index.ts'
import { responsesLaws } from './laws.test-data.ts'

dialectLaws(
  openaiResponses,
  fc.oneof({ weight: 3, arbitrary: arbitraryRequest }, { weight: 1, arbitrary: arbitraryReferringRequest }),
  {
    ...responsesLaws,
  },
)
