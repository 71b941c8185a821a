import type { Reply, ReplyContext } from '../../format.ts'
import { field } from '../../json-fields.ts'
import { openSeal, seal } from '../../seal.ts'
import { itemType } from './call-families.ts'
import { inputItems } from './input.ts'
import { CREATED_AT, usageObject } from './reply.ts'

/** The answer of `/responses/compact`: what the user said, and everything else in one sealed item. */
export function compactedResponse(reply: Reply, context: ReplyContext): object {
  const text = reply.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const said = inputItems(context.body).filter((item) => itemType(item) === 'message' && field(item, 'role') === 'user')
  return {
    id: `resp_lab_${context.id}`,
    object: 'response.compaction',
    created_at: CREATED_AT,
    output: [
      ...said,
      { id: `cmp_lab_${context.id}`, type: 'compaction', encrypted_content: seal({ answer: context.id, text }) },
    ],
    usage: usageObject(context.usage, reply),
  }
}

/** What a compaction item of this simulator says; undefined: another server sealed it. */
export function compactedText(encrypted: string): string | undefined {
  const opened = openSeal(encrypted)
  return typeof opened === 'string' ? undefined : String(opened.text ?? '')
}
