import { dialectLaws } from '../dialect-laws.test-data.ts'
import { arbitraryCodexRequest } from './arbitrary-request.test-data.ts'
import { openaiCodex } from './index.ts'
import { responsesLaws } from './laws.test-data.ts'

dialectLaws(openaiCodex, arbitraryCodexRequest, {
  ...responsesLaws,
  silent: {
    'pointers to a history at the provider leave only with a view that says it is whole': 'Codex stores nothing',
    'the output cap is lowered where there is one, and never raised': 'Codex takes no cap',
  },
})
