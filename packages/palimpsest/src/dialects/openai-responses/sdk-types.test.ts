import type { ResponseCreateParams, ResponseInputItem } from 'openai/resources/responses/responses'
import { expectTypeOf, test } from 'vitest'
import type { ResponsesItem, ResponsesRequest, SummaryItem } from './items.ts'

test('what the official SDK sends is what the dialect takes, and what the dialect adds is what the SDK sends', () => {
  expectTypeOf<ResponseCreateParams>().toExtend<ResponsesRequest>()
  expectTypeOf<ResponseInputItem>().toExtend<ResponsesItem>()
  expectTypeOf<SummaryItem>().toExtend<ResponseInputItem>()
})
