import { hostileItems } from '../arbitrary-hostile.test-data.ts'
import { countKeys } from '../count-keys.test-data.ts'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { openaiChat } from './index.ts'

const FIELDS = [
  'role',
  'content',
  'type',
  'text',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'function',
  'custom',
  'arguments',
  'input',
  'refusal',
  'audio',
  'name',
  'id',
  'image_url',
  'url',
  'file',
  'reasoning_content',
  'reasoning_details',
  'cache_control',
]
const NAMES = [
  'user',
  'assistant',
  'system',
  'developer',
  'tool',
  'function',
  'text',
  'image_url',
  'file',
  'input_audio',
]

dialectLaws(openaiChat, arbitraryRequest, {
  hostile: hostileItems(FIELDS, NAMES),
  partKeys: [
    'content',
    'tool_calls',
    'function_call',
    'refusal',
    'audio',
    'reasoning',
    'reasoning_content',
    'reasoning_details',
  ],
  marks: { count: countKeys('prompt_cache_breakpoint', 'cache_control'), most: 4 },
  silent: {
    'pointers to a history at the provider leave only with a view that says it is whole':
      'Chat Completions keeps no history',
  },
})
