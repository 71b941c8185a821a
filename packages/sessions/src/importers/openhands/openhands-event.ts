import { jsonText } from 'palimpsest/engine'
import { type Fields, fieldsOf, listOf, textOf } from '../json-fields.ts'

/** An event of OpenHands: something is done (an action) or seen (an observation), and by whom. */
export function isEvent(record: Fields): boolean {
  const { action, observation, source, args, extras } = record
  if (typeof source !== 'string' || !SOURCES.has(source)) return false
  if (typeof action === 'string') return isObject(args)
  return typeof observation === 'string' && (isObject(extras) || 'content' in record)
}

/** What an event is in the conversation. */
export type EventMeaning =
  | { readonly kind: 'said'; readonly item: Fields; readonly injected?: true }
  /** An answer of the model; events of one response share it. */
  | { readonly kind: 'answer'; readonly item: Fields; readonly response: Fields }
  | { readonly kind: 'result'; readonly item: Fields }
  | { readonly kind: 'compaction'; readonly summary: string | undefined; readonly forgottenTo: number | undefined }
  | { readonly kind: 'skip'; readonly reason: string }

/** What an event says to the model or for it, as the client sends it. `calls`: ids of calls by the events that made them. */
export function meaningOf(event: Fields, calls: ReadonlyMap<unknown, string>): EventMeaning {
  if (!isEvent(event)) return { kind: 'skip', reason: 'unknown record' }
  return typeof event.action === 'string' ? actionMeaning(event, event.action) : observationMeaning(event, calls)
}

/** The id of the call that an action is: the model's, else one that is made of the number of the event. */
export function callIdOf(event: Fields): string {
  return textOf(fieldsOf(event.tool_call_metadata).tool_call_id) ?? `event-${String(event.id)}`
}

function actionMeaning(event: Fields, action: string): EventMeaning {
  const args = fieldsOf(event.args)
  if (action === 'condensation') return compaction(args)
  if (CLIENT_ACTIONS.has(action)) return { kind: 'skip', reason: 'client record' }
  if (action === 'system') return said('system', textOf(args.content))
  if (event.source !== 'agent') return userAction(event, action, args)
  const response = fieldsOf(fieldsOf(event.tool_call_metadata).model_response)
  const message = fieldsOf(fieldsOf(listOf(response.choices)[0]).message)
  if (listOf(message.tool_calls).length > 0) return { kind: 'answer', item: answerItem(message), response }
  if (action === 'message') return agentMessage(args, response)
  return { kind: 'answer', item: ownCall(event, action, args), response }
}

function userAction({ source }: Fields, action: string, args: Fields): EventMeaning {
  if (action === 'message') {
    const meaning = said('user', withImages(textOf(args.content), args.image_urls))
    return meaning.kind === 'said' && source !== 'user' ? { ...meaning, injected: true } : meaning
  }
  const command = textOf(args.command)
  if (action !== 'run' || command === undefined) return { kind: 'skip', reason: 'client record' }
  return { kind: 'said', item: { role: 'user', content: `User executed the command:\n${command}` }, injected: true }
}

function agentMessage(args: Fields, response: Fields): EventMeaning {
  const content = withImages(textOf(args.content), args.image_urls)
  if (content === undefined) return { kind: 'skip', reason: 'empty message' }
  return { kind: 'answer', item: { role: 'assistant', content }, response }
}

function said(role: 'system' | 'user', content: unknown): EventMeaning {
  return content === undefined ? { kind: 'skip', reason: 'empty message' } : { kind: 'said', item: { role, content } }
}

/** The message of the response without the fields that say nothing. */
function answerItem(message: Fields): Fields {
  const kept = Object.entries(message).filter(([key, value]) => key === 'content' || value !== null)
  return { role: 'assistant', content: null, ...Object.fromEntries(kept) }
}

/** Where the file lacks the response, its call is what was done. */
function ownCall(event: Fields, action: string, args: Fields): Fields {
  const name = fieldsOf(event.tool_call_metadata).function_name
  const given = Object.entries(args).filter(([key, value]) => value !== null && !SETTINGS.has(key))
  return {
    role: 'assistant',
    content: textOf(args.thought) ?? textOf(fieldsOf(args.thought).text) ?? null,
    tool_calls: [
      {
        id: callIdOf(event),
        type: 'function',
        function: { name: textOf(name) ?? action, arguments: jsonText(Object.fromEntries(given)) },
      },
    ],
  }
}

function compaction(args: Fields): EventMeaning {
  const ids = [...listOf(args.forgotten_event_ids), args.forgotten_events_end_id].filter((id) => typeof id === 'number')
  return {
    kind: 'compaction',
    summary: textOf(args.summary),
    forgottenTo: ids.length === 0 ? undefined : ids.reduce((newest, id) => Math.max(newest, id)),
  }
}

function observationMeaning(event: Fields, calls: ReadonlyMap<unknown, string>): EventMeaning {
  const { observation, tool_call_metadata: metadata, cause } = event
  const { tool_call_id: id, function_name: name } = fieldsOf(metadata)
  if (typeof observation !== 'string' || CLIENT_OBSERVATIONS.has(observation)) {
    return { kind: 'skip', reason: 'client record' }
  }
  const content =
    observation === 'recall' ? recalled(event) : withImages(seenText(event), fieldsOf(event.extras).image_urls)
  const call = textOf(id) ?? calls.get(cause)
  if (call !== undefined) {
    const item = { role: 'tool', tool_call_id: call, ...(textOf(name) && { name }), content: content ?? '' }
    return { kind: 'result', item }
  }
  if (content === undefined)
    return { kind: 'skip', reason: observation === 'recall' ? 'client record' : 'empty message' }
  return { kind: 'said', item: { role: 'user', content }, injected: true }
}

/** What the model reads of an observation. */
function seenText(event: Fields): string | undefined {
  const content = typeof event.content === 'string' ? event.content : ''
  const extras = fieldsOf(event.extras)
  switch (event.observation) {
    case 'run':
      return commandText(content, extras)
    case 'error':
      return `${content}\n[Error occurred in processing last action]`
    case 'user_rejected':
      return `${content}\n[Last action has been rejected by the user]`
    case 'delegate':
      return textOf(fieldsOf(extras.outputs).content) ?? textOf(content)
    default:
      return textOf(content)
  }
}

/** The output of a command, and how it ended. Old files have the exit code beside the rest. */
function commandText(content: string, extras: Fields): string {
  const metadata = fieldsOf(extras.metadata)
  const { prefix, suffix, working_dir: folder, py_interpreter_path: python } = metadata
  const exitCode = metadata.exit_code ?? extras.exit_code
  return [
    `${textOf(prefix) ?? ''}${content}${textOf(suffix) ?? ''}`,
    ...(textOf(folder) === undefined ? [] : [`[Current working directory: ${folder}]`]),
    ...(textOf(python) === undefined ? [] : [`[Python interpreter: ${python}]`]),
    ...(typeof exitCode === 'number' && exitCode !== -1 ? [`[Command finished with exit code ${exitCode}]`] : []),
  ].join('\n')
}

/** Texts that were put before the model; how they were framed is not recorded. */
function recalled({ extras }: Fields): string | undefined {
  const {
    repo_instructions: repository,
    additional_agent_instructions: agent,
    conversation_instructions: task,
  } = fieldsOf(extras)
  const knowledge = listOf(fieldsOf(extras).microagent_knowledge).map((piece) => fieldsOf(piece).content)
  const texts = [repository, agent, task, ...knowledge].map(textOf).filter((text) => text !== undefined)
  return texts.length === 0 ? undefined : texts.join('\n\n')
}

/** The text, with pictures behind it where there are any. */
function withImages(text: string | undefined, images: unknown): unknown {
  const urls = listOf(images)
    .map(textOf)
    .filter((url) => url !== undefined)
  if (urls.length === 0) return text
  const pictures = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
  return text === undefined ? pictures : [{ type: 'text', text }, ...pictures]
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const SOURCES: ReadonlySet<string> = new Set(['agent', 'user', 'environment'])

/** What the client does for itself. */
const CLIENT_ACTIONS: ReadonlySet<string> = new Set([
  'null',
  'start',
  'init',
  'initialize',
  'pause',
  'resume',
  'stop',
  'recall',
  'change_agent_state',
  'condensation_request',
  'loop_recovery',
])
const CLIENT_OBSERVATIONS: ReadonlySet<string> = new Set(['null', 'agent_state_changed', 'condense', 'loop_detection'])

/** Arguments of an action that the model did not give. */
const SETTINGS: ReadonlySet<string> = new Set([
  'thought',
  'blocking',
  'hidden',
  'is_static',
  'is_confirmed',
  'confirmation_state',
  'keep_prompt',
])
