/** Every rule that the check knows, with what the API refuses. */
export const BEDROCK_RULES = {
  /** An entry of `messages` is no object with a known role and a list of blocks. */
  malformed: 'bedrock/malformed-message',
  /** `messages` is empty. */
  noMessages: 'bedrock/no-messages',
  /** The first message is not the user's. */
  first: 'bedrock/first-not-user',
  /** The last message is the assistant's. */
  last: 'bedrock/last-not-user',
  /** User and assistant do not alternate. */
  alternation: 'bedrock/alternation',
  /** A message has no content. */
  emptyContent: 'bedrock/empty-content',
  /** A text is empty or only white space, in a message or inside a result. */
  blankText: 'bedrock/blank-text',
  /** A call, a result, reasoning, a picture or a file stands in a message of the wrong role. */
  wrongRole: 'bedrock/block-in-wrong-role',
  /** A user message with a file has no text. */
  bareDocument: 'bedrock/document-without-text',
  /** Two calls of one message have the same id. */
  repeatedCall: 'bedrock/tool-call-id-repeated',
  /** A call's arguments are no JSON object. */
  callInput: 'bedrock/tool-call-input',
  /** A call is not answered in the next user message. */
  unanswered: 'bedrock/tool-call-without-result',
  /** A result answers no call of the assistant message before it. */
  orphan: 'bedrock/tool-result-without-call',
  /** A call is answered twice. */
  repeatedResult: 'bedrock/tool-result-repeated',
  /** The history holds calls or results and the request has no tool configuration. */
  noTools: 'bedrock/tool-config-missing',
  /** More than four cache points. */
  tooManyPoints: 'bedrock/too-many-cache-points',
  /** A cache point with nothing before it in its message, or with reasoning before it. */
  pointPlace: 'bedrock/cache-point-misplaced',
  /** A cache point that lives an hour behind one that lives five minutes. */
  pointOrder: 'bedrock/cache-point-order',
} as const
