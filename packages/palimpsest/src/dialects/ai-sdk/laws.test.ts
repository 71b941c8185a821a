import { hostileItems } from '../arbitrary-hostile.test-data.ts'
import { countKeys } from '../count-keys.test-data.ts'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { aiSdk } from './index.ts'

const FIELDS = [
  'role',
  'content',
  'type',
  'text',
  'data',
  'mediaType',
  'toolCallId',
  'toolName',
  'input',
  'output',
  'value',
  'reason',
  'approvalId',
  'providerExecuted',
  'providerOptions',
  'kind',
]
const NAMES = [
  'user',
  'assistant',
  'system',
  'tool',
  'text',
  'file',
  'image',
  'reasoning',
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'tool-approval-response',
  'content',
  'json',
  'custom',
]

const marksOfAnthropic = countKeys('cacheControl', 'cache_control')
const pointsOfBedrock = countKeys('cachePoint')

dialectLaws(aiSdk, arbitraryRequest, {
  hostile: hostileItems(FIELDS, NAMES),
  partKeys: ['content'],
  marks: { count: (view) => Math.max(marksOfAnthropic(view), pointsOfBedrock(view)), most: 4 },
  refusals: { 'ai-sdk/roles-do-not-alternate': 'neighbours whose provider-run calls have one id are not joined' },
  loosensBehindReasoning: 'what stood behind removed thinking loses the id under which the provider stored it',
})
