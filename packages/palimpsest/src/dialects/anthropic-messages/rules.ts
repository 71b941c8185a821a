/** Every rule that the check knows, with what the API refuses. */
export const ANTHROPIC_RULES = {
  /** An entry of `messages` is no object with a known role and content. */
  malformed: 'anthropic/malformed-message',
  /** `messages` is empty. */
  noMessages: 'anthropic/no-messages',
  /** The first message is not the user's (a provider's compaction block may open the list too). */
  first: 'anthropic/first-not-user',
  /** User and assistant do not alternate, where a strict server asks for it. */
  alternation: 'anthropic/alternation',
  /** A system message inside `messages` does not end a user turn. */
  systemPlace: 'anthropic/system-place',
  /** A system message holds something other than text and tool changes. */
  systemContent: 'anthropic/system-content',
  /** A message, other than a last one of the assistant, has no content. */
  emptyContent: 'anthropic/empty-content',
  /** A text block is empty or only white space. */
  emptyText: 'anthropic/empty-text',
  /** The last message is the assistant's and its text ends in white space. */
  trailingSpace: 'anthropic/trailing-white-space',
  /** A call, a result or thinking stands in a message of the wrong role. */
  wrongRole: 'anthropic/block-in-wrong-role',
  /** A thinking block has no signature (redacted thinking: no data). */
  unsigned: 'anthropic/thinking-unsigned',
  /** Thinking stands behind a tool call of the same message. */
  thinkingOrder: 'anthropic/thinking-behind-call',
  /** The last message is the assistant's and ends in thinking. */
  thinkingLast: 'anthropic/thinking-last',
  /** Two calls of one assistant turn have the same id. */
  repeatedCall: 'anthropic/tool-call-id-repeated',
  /** A call's arguments are no JSON object. */
  callInput: 'anthropic/tool-call-input',
  /** A call is not answered in the next user message. */
  unanswered: 'anthropic/tool-call-without-result',
  /** A result answers no call of the assistant message before it. */
  orphan: 'anthropic/tool-result-without-call',
  /** A call is answered twice. */
  repeatedResult: 'anthropic/tool-result-repeated',
  /** A result stands behind text, a picture or a file. */
  resultOrder: 'anthropic/tool-result-not-first',
  /** A server tool was called, the turn went on, and its result is nowhere. */
  serverUnanswered: 'anthropic/server-call-without-result',
  /** A server tool's result whose call is not before it in the turn. */
  serverOrphan: 'anthropic/server-result-without-call',
  /** The history holds calls and the request defines no tools. */
  noTools: 'anthropic/tools-missing',
  /** More than four cache marks. */
  tooManyMarks: 'anthropic/too-many-cache-marks',
  /** A cache mark on thinking or on empty text. */
  markPlace: 'anthropic/cache-mark-misplaced',
  /** A cache mark that lives an hour behind one that lives five minutes. */
  markOrder: 'anthropic/cache-mark-order',
  /** The body is above 32 MB. */
  tooLarge: 'anthropic/request-too-large',
} as const
