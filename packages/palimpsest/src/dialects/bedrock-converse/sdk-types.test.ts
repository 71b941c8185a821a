import type {
  ContentBlock,
  ConverseCommandInput,
  ConverseStreamCommandInput,
  Message,
} from '@aws-sdk/client-bedrock-runtime'
import { describe, expectTypeOf, it } from 'vitest'
import type { BedrockMessage, BedrockRequest, CachePoint, CreatedMessage, CreatedText } from './items.ts'

describe('types of the official SDK', () => {
  it('requests and messages of the SDK go in', () => {
    expectTypeOf<ConverseCommandInput>().toExtend<BedrockRequest>()
    expectTypeOf<ConverseStreamCommandInput>().toExtend<BedrockRequest>()
    expectTypeOf<Message>().toExtend<BedrockMessage>()
  })

  it('what this library makes goes out', () => {
    expectTypeOf<CreatedMessage>().toExtend<Message>()
    expectTypeOf<CreatedText>().toExtend<ContentBlock>()
    expectTypeOf<{ cachePoint: CachePoint }>().toExtend<ContentBlock>()
  })
})
