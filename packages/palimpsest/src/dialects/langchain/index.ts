import type { Dialect } from '../dialect.ts'
import { fieldsOf } from '../json-fields.ts'
import { markCache } from './cache-marks.ts'
import { checkMessages } from './check.ts'
import { copyMessage } from './copy-message.ts'
import { describedTool } from './described-tool.ts'
import { editMessage } from './edit.ts'
import { fingerprintMessage } from './fingerprint.ts'
import type { LangChainMessage, LangChainOptions, LangChainRequest } from './items.ts'
import { layOutMessages } from './lay-out.ts'
import { mediaTokens } from './media.ts'
import { obsoleteMessagesBefore } from './obsolete.ts'
import { closeRequest, openRequest, recognisesLangChain } from './request.ts'
import { readStream } from './stream-reader.ts'
import { summaryLike } from './summary-message.ts'
import { langChainOverflow, outcomeOf, usageOf } from './usage.ts'
import { viewMessage } from './view.ts'

export type { LangChainMessage, LangChainOptions, LangChainRequest } from './items.ts'
export { modelName } from './request.ts'
export { summaryLike } from './summary-message.ts'

/**
 * LangChain messages with what only its own classes can make: the message of a summary, and the schema of a tool.
 *
 * @example const dialect = langChainDialect({ humanMessage: (text) => new HumanMessage(text) })
 */
export function langChainDialect(options: LangChainOptions = {}): Dialect<LangChainRequest, LangChainMessage> {
  const { humanMessage: summary = summaryLike, describeTool = describedTool } = options
  const describe = once(describeTool)
  return {
    name: 'langchain',
    itemsKey: 'messages',
    recognises: recognisesLangChain,
    open: (request) => openRequest(request, describe),
    close: closeRequest,
    view: viewMessage,
    edit: editMessage,
    layOut: (items, changed, context) => layOutMessages(items, changed, { context, summary }),
    check: checkMessages,
    obsoleteBefore: obsoleteMessagesBefore,
    withoutProgramOutput: withoutArtifact,
    fingerprint: fingerprintMessage,
    markCache,
    usage: usageOf,
    overflow: langChainOverflow,
    outcome: outcomeOf,
    reader: readStream,
    // The provider is unknown: between the few tokens of OpenAI's frames and the few hundred of Anthropic's tool preamble.
    framing: { request: 3, message: 4, tools: 150, tool: 10 },
    mediaTokens,
  }
}

/** The artifact of a tool message is its raw output. */
function withoutArtifact(message: LangChainMessage): LangChainMessage {
  const { artifact } = fieldsOf(message)
  return artifact === undefined ? message : copyMessage(message as object & LangChainMessage, { artifact: undefined })
}

/** Writing a schema costs more than reading a message, and an agent has the same tools at every step. */
function once(describe: (tool: unknown) => unknown): (tool: unknown) => unknown {
  const known = new WeakMap<object, unknown>()
  return (tool) => {
    if (typeof tool !== 'object' || tool === null) return describe(tool)
    if (!known.has(tool)) known.set(tool, describe(tool))
    return known.get(tool)
  }
}

/** LangChain messages (`@langchain/core` 0.3 and 1), as the middleware of an agent gets them. Nothing of LangChain is imported. */
export const langchain: Dialect<LangChainRequest, LangChainMessage> = langChainDialect()
