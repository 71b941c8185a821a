import { type Dialect, spliceJson } from 'palimpsest'
import { type Fields, isFields, present } from '../importers/json-fields.ts'
import type { ExportedSession } from './exported-session.ts'
import { jsonDocument } from './json-document.ts'
import type { LossTally } from './loss-tally.ts'
import type { OpenedRequest } from './neutral/read-neutral.ts'
import { anthropicTool } from './neutral/write-anthropic.ts'
import { bedrockTool } from './neutral/write-bedrock.ts'
import { ADDED_TOOLS, DEMANDS_TOOLS } from './neutral/write-neutral.ts'
import { codexBody } from './neutral/write-responses.ts'
import { frameWithItems } from './opened-request.ts'

/** The session as a request of its own dialect: the items as they are, in the frame that they stood in. */
export function ownRequest(
  session: ExportedSession,
  dialect: Dialect<unknown, object>,
  opened: OpenedRequest,
  losses: LossTally,
): string {
  const { source } = session
  if (source !== undefined) return spliceJson(source, dialect.close(source.value, opened.conversation))
  return jsonDocument(ownBody(session, dialect, opened, losses))
}

/** The same as a value. */
export function ownBody(
  session: ExportedSession,
  dialect: Dialect<unknown, object>,
  opened: OpenedRequest,
  losses: LossTally,
): unknown {
  const frame = session.source?.value ?? session.frame
  if (Array.isArray(frame)) return dialect.close(frame, opened.conversation)
  const body = dialect.close(frameWithItems(frame ?? {}, dialect), opened.conversation) as Fields
  const modelKey = MODEL_KEYS[dialect.name]
  const known = {
    ...(modelKey !== undefined && body[modelKey] == null && present({ [modelKey]: session.model })),
    ...(body.tools === undefined && body.toolConfig === undefined && madeUpTools(dialect, opened, losses)),
    ...withModelName(body, opened),
  }
  return frame === undefined && dialect.name === 'openai-codex' ? codexBody(known, losses) : known
}

/** Requests of LangChain hold the model itself. */
function withModelName(body: Fields, { conversation }: OpenedRequest): Fields {
  if (!isFields(body.model) || conversation.model === undefined) return body
  return { ...body, model: conversation.model }
}

/** A session file does not tell the tools; where calls without definitions are refused, their names must do. */
function madeUpTools(dialect: Dialect<unknown, object>, { conversation }: OpenedRequest, losses: LossTally): object {
  if (!DEMANDS_TOOLS.has(dialect.name)) return {}
  const parts = conversation.items.flatMap((item) => dialect.view(item).parts)
  const names = new Set(parts.flatMap((part) => (part.kind === 'tool-call' ? [part.toolName ?? ''] : [])))
  if (names.size === 0) return {}
  losses.add(ADDED_TOOLS)
  const tools = [...names].map((name) => ({ name }))
  return dialect.name === 'anthropic-messages'
    ? { tools: tools.map(anthropicTool) }
    : { toolConfig: { tools: tools.map(bedrockTool) } }
}

/** Where a body names its model; the others are sent to an address that does. */
const MODEL_KEYS: Readonly<Record<string, string>> = {
  'anthropic-messages': 'model',
  'openai-chat': 'model',
  'openai-responses': 'model',
  'openai-codex': 'model',
  'bedrock-converse': 'modelId',
  langchain: 'model',
}
