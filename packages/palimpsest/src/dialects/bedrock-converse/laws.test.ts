import type { Conversation } from '../../engine/messages/message.ts'
import { hostileItems } from '../arbitrary-hostile.test-data.ts'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { cachePoints } from './cache.ts'
import { type BedrockMessage, bedrockConverse } from './index.ts'
import { isCachePoint } from './items.ts'

const FIELDS = [
  'role',
  'content',
  'text',
  'image',
  'document',
  'video',
  'audio',
  'source',
  'bytes',
  'toolUse',
  'toolResult',
  'toolUseId',
  'input',
  'type',
  'status',
  'json',
  'reasoningContent',
  'guardContent',
  'citationsContent',
  'cachePoint',
]
const NAMES = ['user', 'assistant', 'system', 'server_tool_use', 'error', 'default']

dialectLaws(bedrockConverse, arbitraryRequest, {
  hostile: hostileItems(FIELDS, NAMES),
  partKeys: ['content'],
  marks: { count: (view) => cachePoints(view as Conversation<BedrockMessage>).length, most: 4 },
  refusals: { 'bedrock/alternation': 'a summary is never joined to results: the boundary moves' },
  goesAlong: { isIt: isCachePoint, reason: 'a cache point with nothing before it is refused' },
  silent: {
    'pointers to a history at the provider leave only with a view that says it is whole': 'Converse keeps no history',
  },
})
