import type { MessageView } from '../messages/message.ts'

/** One item of a transcript with its absolute position, as the manifest reads it. */
export interface TranscriptSlice {
  readonly position: number
  readonly view: MessageView
}
