import { arbitraryRequest } from '../dialects/bedrock-converse/arbitrary-request.test-data.ts'
import { bedrockConverse } from '../dialects/bedrock-converse/index.ts'
import { compactionLaws, ofAnyItem } from './compaction-laws.test-data.ts'

compactionLaws(ofAnyItem(bedrockConverse), arbitraryRequest)
