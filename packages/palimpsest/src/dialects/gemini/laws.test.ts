import { hostileItems } from '../arbitrary-hostile.test-data.ts'
import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { gemini } from './index.ts'

const FIELDS = [
  'role',
  'parts',
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'function_call',
  'functionResponse',
  'args',
  'name',
  'id',
  'response',
  'inlineData',
  'fileData',
  'mimeType',
  'data',
  'executableCode',
]
const NAMES = ['user', 'model', 'function', 'system', 'image/png', 'application/pdf']

dialectLaws(gemini, arbitraryRequest, {
  hostile: hostileItems(FIELDS, NAMES),
  partKeys: ['parts'],
  resultText: 'a function response is an object: the text stands under one of its keys',
  silent: {
    'pointers to a history at the provider leave only with a view that says it is whole': 'the API keeps no history',
    'cache marks: few, beside those of the caller, on the named item and the stable system alone, unseen by fingerprints':
      'caching is implicit, or a resource of its own',
  },
})
