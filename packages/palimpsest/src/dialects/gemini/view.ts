import { jsonBytes } from '../../engine/json/json-bytes.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { MessageView, PartView, Role } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { isInjectedText } from '../injected-text.ts'
import { property, stringOf } from '../json-fields.ts'
import { field } from './fields.ts'
import type { GeminiContent, GeminiPart } from './items.ts'
import {
  type ContentRole,
  contentRole,
  holdsResponse,
  isErrorResponse,
  isSigned,
  mediaOf,
  type PartData,
  partData,
  partsOf,
  responseMedia,
} from './part-data.ts'

/** A content as the engine sees it. Total: any JSON has a view, and the same content always has the same parts. */
export function viewContent(content: GeminiContent): MessageView {
  const role = contentRole(content)
  const parts = partsOf(content)
  const besideResponse = holdsResponse(content)
  return {
    role: property(content, 'role') === 'system' ? 'system' : ROLES[role],
    parts: parts.map((part) => withSpeaker(viewPart(part), role, besideResponse)),
    ...(role === 'user' && parts.length > 0 && parts.every(isCheckpoint) && { checkpoint: true }),
  }
}

/**
 * Who put the part in? Files beside a function response are the tool's: clients put them there for models whose responses
 * hold no media. Words beside one may be the user's.
 */
function withSpeaker(view: PartView, role: ContentRole, besideResponse: boolean): PartView {
  const toolsFile = besideResponse && (view.kind === 'image' || view.kind === 'document')
  const injected = toolsFile || (view.kind === 'text' && role !== 'model' && isInjectedText(view.text()))
  return injected ? { ...view, injected } : view
}

const ROLES: Readonly<Record<ContentRole, Role>> = {
  user: 'user',
  model: 'assistant',
  response: 'tool',
  // The API knows no other role. What a client put there speaks to the model with the user's voice at most.
  unknown: 'user',
}

function viewPart(part: GeminiPart): PartView {
  const data = partData(part)
  const bytes = () => jsonBytes(part)
  const editable = !isSigned(part)
  switch (data.kind) {
    case 'text':
      return { kind: 'text', text: () => data.text, bytes, editable }
    case 'thought':
      return { kind: 'reasoning', text: () => data.text, bytes, editable: false, ...thoughtMedia(part) }
    case 'call':
      return { kind: 'tool-call', ...pairing(data), text: () => argumentsText(data.value), bytes, editable }
    case 'response':
      return viewResponse(data, bytes)
    case 'media':
      return {
        kind: data.media.kind === 'document' ? 'document' : 'image',
        text: () => '',
        media: [data.media],
        bytes,
        editable: false,
      }
    case 'other':
      return { kind: 'opaque', text: () => opaqueText(part), bytes, editable: false }
  }
}

function isCheckpoint(part: GeminiPart): boolean {
  const data = partData(part)
  return data.kind === 'text' && isCheckpointText(data.text)
}

function thoughtMedia(part: GeminiPart): Pick<PartView, 'media'> {
  const media = mediaOf(part)
  return media === undefined ? {} : { media: [media] }
}

function viewResponse(data: Extract<PartData, { kind: 'response' }>, bytes: () => number): PartView {
  const media = responseMedia(data.value)
  const response = property(data.value, 'response')
  return {
    kind: 'tool-result',
    ...pairing(data),
    ...(isErrorResponse(response) && { isError: true }),
    text: () => (response === undefined ? '' : jsonText(response)),
    ...(media.length > 0 && { media }),
    bytes,
    editable: true,
  }
}

/** The id only where there is one: without it, order and name pair a call with its response. */
function pairing(data: { readonly value: unknown }): Pick<PartView, 'callId' | 'toolName'> {
  const id = stringOf(property(data.value, 'id'))
  const name = stringOf(property(data.value, 'name'))
  return { ...(id !== undefined && id !== '' && { callId: id }), ...(name !== undefined && { toolName: name }) }
}

function argumentsText(call: unknown): string {
  return jsonText(property(call, 'args') ?? {})
}

/** What the model reads of code it ran at the provider; for a part nobody here knows, its JSON without the signature. */
function opaqueText(part: GeminiPart): string {
  const code = property(field(part, 'executableCode'), 'code')
  const output = property(field(part, 'codeExecutionResult'), 'output')
  if (typeof code === 'string' || typeof output === 'string') return stringOf(code) ?? stringOf(output) ?? ''
  const text = JSON.stringify(part, (key, value: unknown) => (isSignatureKey(key) ? undefined : value))
  return text === undefined || text === '{}' ? '' : text
}

function isSignatureKey(key: string): boolean {
  return key === 'thoughtSignature' || key === 'thought_signature'
}
