import type { Dialect } from '../dialect.ts'
import { overflowFacts } from '../overflow.ts'
import { markCache } from './cache-marks.ts'
import { checkMessages } from './check.ts'
import { editMessage } from './edit.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { AiSdkMessage, AiSdkRequest } from './items.ts'
import { layOutMessages } from './lay-out.ts'
import { mediaTokens } from './media-tokens.ts'
import { obsoleteMessagesBefore } from './obsolete.ts'
import { closeRequest, openRequest, recognisesAiSdk } from './request.ts'
import { readStream } from './stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'
import { viewMessage } from './view.ts'

export type { AiSdkCallOptions, AiSdkMessage, AiSdkPart, AiSdkRequest, ProviderOptions } from './items.ts'

/** The AI SDK's prompts for a language model, versions 2 to 4: call options as a middleware gets them, or a prompt alone. */
export const aiSdk: Dialect<AiSdkRequest, AiSdkMessage> = {
  name: 'ai-sdk',
  itemsKey: 'prompt',
  recognises: recognisesAiSdk,
  open: openRequest,
  close: closeRequest,
  view: viewMessage,
  edit: editMessage,
  layOut: layOutMessages,
  check: checkMessages,
  obsoleteBefore: obsoleteMessagesBefore,
  fingerprint: fingerprintOf,
  markCache,
  usage: usageOf,
  overflow: overflowFacts,
  outcome: outcomeOf,
  reader: readStream,
  // The provider is unknown: between the few tokens of OpenAI's frames and the few hundred of Anthropic's tool preamble.
  framing: { request: 3, message: 4, tools: 150, tool: 10 },
  mediaTokens,
}
