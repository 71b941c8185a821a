import { canonicalJson } from '../../engine/json/canonical-json.ts'
import type { Dialect } from '../dialect.ts'
import { overflowFacts } from '../overflow.ts'
import { checkContents } from './check.ts'
import { editContent } from './edit.ts'
import type { GeminiContent, GeminiRequest } from './items.ts'
import { layOutContents } from './lay-out.ts'
import { mediaTokens } from './media-tokens.ts'
import { closeRequest, openRequest, recognisesGemini } from './request.ts'
import { readStream } from './stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'
import { viewContent } from './view.ts'

export type {
  GeminiContent,
  GeminiFileData,
  GeminiFunctionCall,
  GeminiFunctionResponse,
  GeminiInlineData,
  GeminiPart,
  GeminiRequest,
} from './items.ts'

/** Google Gemini, `generateContent` and `streamGenerateContent`, on the Gemini API and on Vertex AI. */
export const gemini: Dialect<GeminiRequest, GeminiContent> = {
  name: 'gemini',
  itemsKey: 'contents',
  recognises: recognisesGemini,
  open: openRequest,
  close: closeRequest,
  view: viewContent,
  edit: editContent,
  layOut: layOutContents,
  check: checkContents,
  fingerprint: (content) => canonicalJson(content),
  // Caching is implicit, or a resource of its own: there is nothing to mark.
  markCache: (view) => view,
  usage: usageOf,
  overflow: overflowFacts,
  outcome: outcomeOf,
  reader: readStream,
  // Not published: role markers around each content, and a frame around the declarations. The rest is calibrated.
  framing: { request: 2, message: 3, tools: 30, tool: 8 },
  mediaTokens,
}
