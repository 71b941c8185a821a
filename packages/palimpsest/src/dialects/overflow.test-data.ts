import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { OverflowContext } from './dialect.ts'
import { overflowFacts } from './overflow.ts'

/** A request far below its window, and one near it. */
export const CONTEXT: OverflowContext = { size: 50_000, window: 200_000 }
export const NEAR: OverflowContext = { size: 190_000, window: 200_000 }

/** Errors as the official SDKs raise them for a response with this status and body. */
export function anthropicError(status: number, body: object | undefined): Error {
  return Anthropic.APIError.generate(status, body, undefined, new Headers())
}

export function openaiError(status: number, body: object | undefined): Error {
  return OpenAI.APIError.generate(status, body, undefined, new Headers())
}

export function anthropicRefusal(type: string, message: string): object {
  return { type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' }
}

/** What `overflowFacts` says, without the wording. */
export function kindAndNumbers(failure: unknown, context = CONTEXT): unknown {
  const facts = overflowFacts(failure, context)
  if (facts === undefined) return undefined
  const { detail: _, ...rest } = facts
  return rest
}

/** Groq's refusal of one request that is too large for a bucket of its rate limit. */
export function groqBucket(limit: number, requested: number): object {
  const message =
    `Request too large for model \`llama-3.1-8b-instant\` in organization \`org_x\` service tier \`on_demand\` on tokens ` +
    `per minute (TPM): Limit ${limit}, Requested ${requested}, please reduce your message size and try again. Need more ` +
    'tokens? Upgrade at https://console.groq.com/settings/billing'
  return { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } }
}
