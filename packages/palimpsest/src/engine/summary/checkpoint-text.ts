/** The tag that opens every summary this library writes into a view. */
export const CHECKPOINT_TAG = 'compacted_context'

/** Is this text a summary that this library placed, rather than words of the user? */
export function isCheckpointText(text: string): boolean {
  return text.startsWith(`<${CHECKPOINT_TAG}>`)
}
