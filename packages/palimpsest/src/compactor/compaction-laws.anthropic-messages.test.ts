import { arbitraryRequest } from '../dialects/anthropic-messages/arbitrary-request.test-data.ts'
import { anthropicMessages } from '../dialects/anthropic-messages/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

compactionLaws(ofAnyItem(anthropicMessages), arbitraryRequest)
