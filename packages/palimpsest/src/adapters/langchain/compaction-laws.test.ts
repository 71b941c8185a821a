import { compactionLaws, ofAnyItem } from '../../compactor/compaction-laws.test-data.ts'
import { arbitraryRequest } from '../../dialects/langchain/arbitrary-request.test-data.ts'
import { langchain } from '../../dialects/langchain/index.ts'

// the laws clone what they are given: these are messages that lost their classes, as ones from a store may have
compactionLaws(ofAnyItem(langchain), arbitraryRequest)
