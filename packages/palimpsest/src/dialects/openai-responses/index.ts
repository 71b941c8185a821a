import type { Conversation } from '../../engine/messages/message.ts'
import type { Dialect } from '../dialect.ts'
import { fieldsOf, isObject } from '../json-fields.ts'
import { OPENAI_FRAMING, openAiMediaTokens } from '../openai-media.ts'
import { overflowFacts } from '../overflow.ts'
import { markBreakpoints } from './cache-marks.ts'
import { checkCodex, checkResponses, type ResponsesConversation } from './check.ts'
import { editItem } from './edit.ts'
import { fingerprintItem } from './fingerprint.ts'
import type { ResponsesItem, ResponsesRequest } from './items.ts'
import { layOutItems } from './lay-out.ts'
import { obsoleteItemsBefore } from './obsolete.ts'
import { closeRequest, openRequest } from './request.ts'
import { readStream } from './stream-reader.ts'
import { judgeOutcome, readUsage } from './usage.ts'
import { viewItem } from './view.ts'

export type { ResponsesConversation, ResponsesSettings } from './check.ts'
export type { ResponsesItem, ResponsesRequest } from './items.ts'

/** A dialect of the Responses API. */
export interface ResponsesDialect extends Dialect<ResponsesRequest, ResponsesItem> {
  open(request: ResponsesRequest): ResponsesConversation
  obsoleteBefore(items: readonly ResponsesItem[]): number
}

/** OpenAI Responses (`instructions`, `input`). */
export const openaiResponses: ResponsesDialect = {
  name: 'openai-responses',
  itemsKey: 'input',
  framing: OPENAI_FRAMING,
  recognises: recognisesResponses,
  open: openRequest,
  close: closeRequest,
  view: viewItem,
  edit: editItem,
  layOut: (items, changed) => layOutItems(items, changed),
  check: (view: Conversation<ResponsesItem>) => checkResponses(view),
  fingerprint: fingerprintItem,
  markCache: markBreakpoints,
  obsoleteBefore: obsoleteItemsBefore,
  usage: readUsage,
  overflow: overflowFacts,
  outcome: judgeOutcome,
  reader: readStream,
  mediaTokens: openAiMediaTokens,
}

/** OpenAI Codex: Responses with `instructions`, without a store, always streamed, without an output cap. */
export const openaiCodex: ResponsesDialect = {
  ...openaiResponses,
  name: 'openai-codex',
  recognises: recognisesCodex,
  check: (view: Conversation<ResponsesItem>) => checkCodex(view),
}

/** Fields that no other API with an `input` has. */
const TELLING_FIELDS = [
  'instructions',
  'previous_response_id',
  'conversation',
  'store',
  'include',
  'reasoning',
  'max_output_tokens',
]

function recognisesResponses(body: unknown): number {
  const { input, messages, contents } = fieldsOf(body)
  if (messages !== undefined || contents !== undefined) return 0
  const telling = TELLING_FIELDS.some((field) => field in fieldsOf(body))
  // Embeddings, moderations and speech take a string or strings as `input` too.
  if (typeof input === 'string') return telling ? 0.9 : 0.4
  if (!Array.isArray(input) || !input.every(isItemLike)) return 0
  return telling || input.length > 0 ? 0.9 : 0
}

function isItemLike(item: unknown): boolean {
  const { type, role, id } = fieldsOf(item)
  return isObject(item) && [type, role, id].some((field) => typeof field === 'string')
}

function recognisesCodex(body: unknown): number {
  const { instructions, store, stream, max_output_tokens: cap, include } = fieldsOf(body)
  const asked = typeof instructions === 'string' && instructions !== '' && store === false && stream === true
  const sealed = Array.isArray(include) && include.includes('reasoning.encrypted_content')
  return asked && sealed && cap === undefined && recognisesResponses(body) > 0 ? 1 : 0
}
