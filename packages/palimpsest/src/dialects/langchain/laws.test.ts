import type { Conversation } from '../../engine/messages/message.ts'
import { hostileItems } from '../arbitrary-hostile.test-data.ts'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { UNSEEN } from './fingerprint.ts'
import { langchain } from './index.ts'

const FIELDS = [
  'type',
  'role',
  'content',
  'text',
  'tool_calls',
  'tool_call_id',
  'additional_kwargs',
  'response_metadata',
  'tool_call_chunks',
  'function_call',
  'reasoning',
  'reasoning_content',
  'args',
  'input',
  'name',
  'id',
  'source',
  'data',
  'image_url',
  'url',
  'output',
  'lc_kwargs',
  'cache_control',
]
const NAMES = [
  'human',
  'ai',
  'tool',
  'system',
  'function',
  'generic',
  'text',
  'thinking',
  'reasoning',
  'tool_use',
  'tool_call',
  'tool_result',
  'input_json_delta',
  'compaction',
  'image',
  'image_url',
  'file',
]

/** Marks on content entries, once: what the constructor was given repeats them. */
function countMarks({ system, items, tools = [] }: Conversation<object>): number {
  const holders = [...system, ...items, ...tools].flatMap((one) => [one, ...listOf(fieldsOf(one).content)])
  return holders.filter((one) => fieldsOf(one).cache_control !== undefined).length
}

/** What holds fields or repeats a call, and so is made anew with the part that is edited. */
function goesAlong(element: object): boolean {
  const { type } = fieldsOf(element)
  return ['tool_use', 'tool_call', 'tool_call_chunk', 'input_json_delta', undefined].includes(
    type as string | undefined,
  )
}

dialectLaws(langchain, arbitraryRequest, {
  hostile: hostileItems(FIELDS, NAMES),
  partKeys: ['content', 'tool_calls', 'tool_call_chunks', 'additional_kwargs', 'response_metadata', 'id', 'lc_kwargs'],
  marks: { count: countMarks, most: 4 },
  goesAlong: {
    isIt: goesAlong,
    reason: 'metadata and constructor arguments hold the parts, and a call stands in up to four places of its message',
  },
  unseen: {
    fields: UNSEEN,
    reason:
      'ids are given anew to messages that come without one; the others say nothing to the model, or say it again',
  },
  silent: {
    'the output cap is lowered where there is one, and never raised': 'the cap is a setting of the model object',
    'on the wire, nothing that was not edited changes a byte': 'messages are objects of classes, not JSON',
  },
})
