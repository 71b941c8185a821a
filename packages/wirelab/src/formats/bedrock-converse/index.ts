import type { Call, WireFormat } from '../../format.ts'
import { field } from '../../json-fields.ts'
import { converseRequest } from './messages.ts'
import { conversePrompt } from './prompt.ts'
import { converseFailure, converseRefusal } from './refusal.ts'
import { converseReply, converseStream } from './reply.ts'
import { converseBreach } from './rules.ts'

/** Amazon Bedrock's `Converse`, with Claude's rules behind it. */
export const bedrockConverseFormat: WireFormat = {
  name: 'bedrock-converse',
  route: routeConverse,
  validate: (body, rules, call) => (call.kind === 'count' ? undefined : converseBreach(body, rules, call)),
  prompt: conversePrompt,
  outputCap,
  refusal: converseRefusal,
  reply: converseReply,
  stream: converseStream,
  streamFailure: converseFailure,
  streamType: 'application/vnd.amazon.eventstream',
  count: (tokens) => ({ inputTokens: tokens }),
  caches: 'marks',
}

const OPERATIONS: Readonly<Record<string, Pick<Call, 'kind' | 'stream'>>> = {
  converse: { kind: 'generate', stream: false },
  'converse-stream': { kind: 'generate', stream: true },
  'count-tokens': { kind: 'count', stream: false },
}

function routeConverse(method: string, path: string): Call | undefined {
  const [, model, name] = /\/model\/(.+)\/([a-z-]+)$/.exec(path) ?? []
  const operation = OPERATIONS[name ?? '']
  if (method !== 'POST' || model === undefined || operation === undefined) return undefined
  return { ...operation, model: decodeURIComponent(model) }
}

function outputCap(body: unknown): number | undefined {
  const cap = field(field(converseRequest(body), 'inferenceConfig'), 'maxTokens')
  return typeof cap === 'number' ? cap : undefined
}
