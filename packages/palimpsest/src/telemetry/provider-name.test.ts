import { expect, it } from 'vitest'
import { providerName } from './provider-name.ts'

it.each([
  ['api.anthropic.com', 'anthropic'],
  ['anthropic.messages', 'anthropic'],
  ['api.openai.com', 'openai'],
  ['https://api.openai.com/v1', 'openai'],
  ['openai.responses', 'openai'],
  ['chatgpt.com', 'openai'],
  ['google.generative-ai', 'gcp.gemini'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['google.vertex.chat', 'gcp.vertex_ai'],
  ['vertex.anthropic.messages', 'gcp.vertex_ai'],
  ['europe-west1-aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 'aws.bedrock'],
  ['my-resource.openai.azure.com', 'azure.ai.openai'],
  ['azure.chat', 'azure.ai.openai'],
  ['api.x.ai', 'x_ai'],
  ['api.groq.com', 'groq'],
] as const)('the provider of %s is %s', (upstream, name) => {
  expect(providerName(upstream)).toBe(name)
})

it.each([undefined, '', 'default', '127.0.0.1:8080', 'openai-compatible.example', 'llm.intern.example'])(
  'nobody knows the provider of %s',
  (upstream) => {
    expect(providerName(upstream)).toBeUndefined()
  },
)
