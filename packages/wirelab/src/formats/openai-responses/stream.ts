import type { Reply, ReplyContext, StreamPiece } from '../../format.ts'
import { listField, textField } from '../../json-fields.ts'
import { serverSentEvent, streamChunks } from '../../server-sent-events.ts'
import { type OutputItem, outputItems, responseObject } from './reply.ts'

/** An event before it gets its number. */
interface StreamEvent {
  readonly type: string
  readonly fields: object
  readonly content?: boolean
}

/** The answer as the API streams it: each item is announced, filled and closed; the last event is the whole response. */
export function responsesStream(reply: Reply, context: ReplyContext): readonly StreamPiece[] {
  const output = outputItems(reply, context)
  const begun = { response: responseObject(context, 'in_progress') }
  const whole = { reply, output }
  const ended = responseObject(context, whole)
  const incomplete = 'status' in ended && ended.status === 'incomplete'
  const events: readonly StreamEvent[] = [
    { type: 'response.created', fields: begun },
    { type: 'response.in_progress', fields: begun },
    ...output.flatMap((item, index) => itemEvents(item, index)),
    { type: incomplete ? 'response.incomplete' : 'response.completed', fields: { response: ended } },
  ]
  return events.map(({ type, fields, content }, number) =>
    serverSentEvent({ type, sequence_number: number, ...fields }, { event: type, content: content ?? false }),
  )
}

function itemEvents(item: OutputItem, index: number): readonly StreamEvent[] {
  return [
    { type: 'response.output_item.added', fields: { output_index: index, item: { ...item, ...emptied(item) } } },
    ...innerEvents(item, { item_id: item.id, output_index: index }),
    { type: 'response.output_item.done', fields: { output_index: index, item } },
  ]
}

/** What is not there yet when an item is announced. */
function emptied(item: OutputItem): object {
  switch (item.type) {
    case 'reasoning':
      return { summary: [] }
    case 'message':
      return { status: 'in_progress', content: [] }
    case 'function_call':
      return { status: 'in_progress', arguments: '' }
    case 'custom_tool_call':
      return { status: 'in_progress', input: '' }
    default:
      return { status: 'in_progress' }
  }
}

type At = { readonly item_id: string; readonly output_index: number }

function innerEvents(item: OutputItem, at: At): readonly StreamEvent[] {
  switch (item.type) {
    case 'reasoning':
      return listField(item, 'summary').flatMap((part, index) => summaryEvents(part, { ...at, summary_index: index }))
    case 'message':
      return listField(item, 'content').flatMap((part, index) => contentEvents(part, { ...at, content_index: index }))
    case 'function_call':
      return deltas('response.function_call_arguments', textField(item, 'arguments') ?? '', {
        at,
        done: { arguments: item.arguments, name: item.name },
      })
    case 'custom_tool_call':
      return deltas('response.custom_tool_call_input', textField(item, 'input') ?? '', {
        at,
        done: { input: item.input },
      })
    default:
      return []
  }
}

function summaryEvents(part: unknown, at: object): readonly StreamEvent[] {
  const text = textField(part, 'text') ?? ''
  return [
    { type: 'response.reasoning_summary_part.added', fields: { ...at, part: { type: 'summary_text', text: '' } } },
    ...deltas('response.reasoning_summary_text', text, { at, done: { text } }),
    { type: 'response.reasoning_summary_part.done', fields: { ...at, part } },
  ]
}

function contentEvents(part: unknown, at: object): readonly StreamEvent[] {
  const refusal = textField(part, 'refusal')
  const text = refusal ?? textField(part, 'text') ?? ''
  const empty = refusal === undefined ? { ...(part as object), text: '' } : { type: 'refusal', refusal: '' }
  const filled =
    refusal === undefined
      ? deltas('response.output_text', text, { at, done: { text, logprobs: [] }, delta: { logprobs: [] } })
      : deltas('response.refusal', text, { at, done: { refusal: text } })
  return [
    { type: 'response.content_part.added', fields: { ...at, part: empty } },
    ...filled,
    { type: 'response.content_part.done', fields: { ...at, part } },
  ]
}

function deltas(
  name: string,
  text: string,
  { at, done, delta }: { readonly at: object; readonly done: object; readonly delta?: object },
): readonly StreamEvent[] {
  const chunks = streamChunks(text).map((chunk) => ({
    type: `${name}.delta`,
    fields: { ...at, delta: chunk, ...delta },
    content: true,
  }))
  return [...chunks, { type: `${name}.done`, fields: { ...at, ...done } }]
}
