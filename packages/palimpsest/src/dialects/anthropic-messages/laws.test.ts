import type { Conversation } from '../../engine/messages/message.ts'
import { hostileItems } from '../arbitrary-hostile.test-data.ts'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { spentMarks } from './cache.ts'
import { type AnthropicMessage, anthropicMessages } from './index.ts'

const FIELDS = [
  'role',
  'content',
  'type',
  'text',
  'source',
  'input',
  'id',
  'name',
  'tool_use_id',
  'is_error',
  'thinking',
  'signature',
  'cache_control',
  'output_config',
  'data',
]
const NAMES = [
  'user',
  'assistant',
  'system',
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'x_tool_result',
  'thinking',
  'compaction',
  'base64',
]

dialectLaws(anthropicMessages, arbitraryRequest, {
  hostile: hostileItems(FIELDS, NAMES),
  partKeys: ['content'],
  marks: { count: (view) => spentMarks(view as Conversation<AnthropicMessage>), most: 4 },
  refusals: {
    'anthropic/alternation': 'a summary is never joined to results',
  },
})
