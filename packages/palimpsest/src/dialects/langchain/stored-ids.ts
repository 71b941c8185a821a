import { derive } from '../../engine/json/derive.ts'
import { type Fields, fieldsOf, isObject } from '../json-fields.ts'
import { copyMessage } from './copy-message.ts'
import type { LangChainMessage } from './items.ts'

/** Where LangChain keeps the ids under which OpenAI stored the calls of a message, by call id. */
const ID_MAPS = ['__openai_function_call_ids__', '__openai_custom_tool_call_ids__'] as const

/** Ids that OpenAI gave to items of a response. Others are LangChain's own. */
const STORED = /^(?:msg|fc|ctc|rs|resp)_/

/**
 * The edited message without what would send its old form: the provider's answer as it was, which LangChain would send in its
 * place, and the ids under which the provider keeps what was edited, or what stood behind removed reasoning.
 */
export function withoutStoredIds(
  message: LangChainMessage,
  edit: { readonly editedCalls: readonly string[]; readonly losesReasoning: boolean },
): LangChainMessage {
  const fields = fieldsOf(message)
  const metadata = fieldsOf(fields.response_metadata)
  const extra = withoutCallIds(fieldsOf(fields.additional_kwargs), edit)
  const changes = {
    ...(typeof message.id === 'string' && STORED.test(message.id) && { id: undefined }),
    ...(metadata.output !== undefined && { response_metadata: derive<Fields>(metadata, { output: undefined }) }),
    ...(extra !== undefined && { additional_kwargs: extra }),
  }
  return Object.keys(changes).length === 0 ? message : (copyMessage(message as object, changes) as LangChainMessage)
}

function withoutCallIds(
  extra: Fields,
  edit: { readonly editedCalls: readonly string[]; readonly losesReasoning: boolean },
): Fields | undefined {
  const changes = ID_MAPS.flatMap((name) => {
    const ids = extra[name]
    if (!isObject(ids)) return []
    const left = edit.losesReasoning ? [] : Object.entries(ids).filter(([callId]) => !edit.editedCalls.includes(callId))
    return left.length === Object.keys(ids).length ? [] : [[name, Object.fromEntries(left)] as const]
  })
  return changes.length === 0 ? undefined : derive<Fields>(extra, Object.fromEntries(changes))
}
