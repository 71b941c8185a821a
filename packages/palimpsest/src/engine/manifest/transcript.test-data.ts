import type { MessageView, PartView, Role } from '../messages/message.ts'
import type { TranscriptSlice } from './transcript-slice.ts'

/** Four characters are a token. */
export const quarter = (text: string): number => Math.ceil(text.length / 4)

export function part(kind: PartView['kind'], text: string, more: Partial<PartView> = {}): PartView {
  return { kind, text: () => text, bytes: () => text.length, editable: true, ...more }
}

export function message(role: Role, ...parts: readonly PartView[]): MessageView {
  return { role, parts }
}

export const user = (text: string): MessageView => message('user', part('text', text))
export const injected = (text: string): MessageView => message('user', part('text', text, { injected: true }))
export const assistant = (text: string): MessageView => message('assistant', part('text', text))
export const reasoning = (text: string): PartView => part('reasoning', text, { editable: false })

export function call(callId: string, toolName: string, args: unknown): PartView {
  return part('tool-call', typeof args === 'string' ? args : JSON.stringify(args), { callId, toolName })
}

export function result(callId: string, text: string, isError = false): PartView {
  return part('tool-result', text, isError ? { callId, isError } : { callId })
}

/** One call and its result, as two items. */
export function step(callId: string, toolName: string, args: unknown, output: string, isError = false): MessageView[] {
  return [message('assistant', call(callId, toolName, args)), message('tool', result(callId, output, isError))]
}

export function slices(...views: readonly MessageView[]): TranscriptSlice[] {
  return views.map((view, position) => ({ position, view }))
}
