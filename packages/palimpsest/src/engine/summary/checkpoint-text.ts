/** The tag that opens every summary this library writes into a view. */
export const CHECKPOINT_TAG = 'compacted_context'

/** The tag around the user's newest message, which stands behind the summary word for word. */
const MESSAGE_TAG = 'last_user_message'

/** Fixed wording, so that the same plan gives the same bytes; a checkpoint is recognised by it. */
const CONTEXT_LEAD =
  'The earlier part of this conversation was compacted automatically so that it fits into the context window of the ' +
  'model. What follows stands in its place and keeps the goals, constraints, progress, discoveries, tool results and ' +
  'pending work.'
const MESSAGE_LEAD =
  'This is the most recent message of the user, word for word. Take it as the current task, and its requirements as ' +
  'authoritative.'

/** What a checkpoint holds. */
export interface Checkpoint {
  readonly summary: string
  /** The user's newest message, verbatim, where the view has it in no other place. */
  readonly lastUserMessage?: string
  /** Where the whole history is and how to read it: one line, white space in it is collapsed. */
  readonly note?: string
}

/**
 * The text of the one user message that stands for what a plan drops. Content cannot close the tags around it.
 *
 * @example wrapCheckpoint({ summary: 'Renamed the flag.', lastUserMessage: 'Now update the docs.' })
 */
export function wrapCheckpoint(checkpoint: Checkpoint): string {
  const { summary, lastUserMessage } = checkpoint
  const note = checkpoint.note?.replace(/\s+/g, ' ').trim() ?? ''
  const lead = note === '' ? CONTEXT_LEAD : `${CONTEXT_LEAD}\n${note}`
  const context = section(CHECKPOINT_TAG, lead, escapeOpenings(summary))
  return lastUserMessage === undefined
    ? context
    : `${context}\n\n${section(MESSAGE_TAG, MESSAGE_LEAD, lastUserMessage)}`
}

/**
 * What `wrapCheckpoint` put into this text; undefined for any other text.
 *
 * @example
 * unwrapCheckpoint(wrapCheckpoint({ summary: 'Renamed the flag.' }))?.summary // 'Renamed the flag.'
 */
export function unwrapCheckpoint(text: string): Checkpoint | undefined {
  const context = readSection(text, CHECKPOINT_TAG, CONTEXT_LEAD)
  if (context === undefined) return undefined
  const { note, content, rest } = context
  const found = { summary: unescapeOpenings(content), ...(note !== '' && { note }) }
  if (rest === '') return found
  if (!rest.startsWith('\n\n')) return undefined
  const message = readSection(rest.slice(2), MESSAGE_TAG, MESSAGE_LEAD)
  return message?.rest === '' && message.note === '' ? { ...found, lastUserMessage: message.content } : undefined
}

/**
 * Is this text a summary that this library placed, rather than words of the user, who may well quote the tag?
 *
 * @example
 * isCheckpointText(wrapCheckpoint({ summary: 'Renamed the flag.' })) // true
 */
export function isCheckpointText(text: string): boolean {
  return text.startsWith(`<${CHECKPOINT_TAG}>`) && unwrapCheckpoint(text) !== undefined
}

function section(tag: string, lead: string, content: string): string {
  return `<${tag}>\n${escapeTags(lead)}\n\n${escapeTags(content)}\n</${tag}>`
}

interface Section {
  /** What stands between the lead and the empty line: the note. */
  readonly note: string
  readonly content: string
  /** The text behind the closing tag. */
  readonly rest: string
}

function readSection(text: string, tag: string, lead: string): Section | undefined {
  const opening = `<${tag}>\n${lead}\n`
  const closing = `\n</${tag}>`
  const gap = text.indexOf('\n', opening.length)
  const end = text.indexOf(closing, opening.length)
  if (!text.startsWith(opening) || gap < 0 || end < gap) return undefined
  // Behind the lead comes the empty line, or the note and then the empty line.
  const isNoted = text[opening.length] !== '\n'
  if (isNoted && text[gap + 1] !== '\n') return undefined
  const start = isNoted ? gap + 2 : opening.length + 1
  if (end + 1 < start) return undefined
  return {
    note: isNoted ? unescapeTags(text.slice(opening.length, gap)) : '',
    content: unescapeTags(text.slice(start, Math.max(start, end))),
    rest: text.slice(end + closing.length),
  }
}

/** A summary must not open the tags either: what stands in them reads as the user's words. Reversible as the closing ones. */
function escapeOpenings(summary: string): string {
  return summary.replace(/<(\s*\\*)(?=\s*(?:compacted_context|last_user_message))/gi, '<$1\\')
}

function unescapeOpenings(summary: string): string {
  return summary.replace(/<(\s*\\*)\\(?=\s*(?:compacted_context|last_user_message))/gi, '<$1')
}

/** A closing tag gets a backslash, one that has backslashes gets one more: so every text comes back as it was. */
function escapeTags(text: string): string {
  return text.replace(/<(\s*\\*)\/(?=\s*(?:compacted_context|last_user_message))/gi, '<$1\\/')
}

function unescapeTags(text: string): string {
  return text.replace(/<(\s*\\*)\\\/(?=\s*(?:compacted_context|last_user_message))/gi, '<$1/')
}
