import type { Generated } from '../../engine/summary/text-generation.ts'
import { fieldsOf, isObject, listOf, property, stringOf, stringOr } from '../json-fields.ts'
import { carried, generatedFrom, type TextCall } from '../text-call.ts'
import type { AiSdkCallOptions, AiSdkRequest, ProviderOptions } from './items.ts'
import { usageOf } from './usage.ts'

/** One text by a language model of the AI SDK: call options for `doGenerate`. Which model is called, the caller decides. */
export const aiSdkTextCall: TextCall<AiSdkRequest> = {
  request(prompt, like) {
    const options = isObject(like) ? (like as AiSdkCallOptions & Carried) : undefined
    const kept = storeOptions(options?.providerOptions)
    return {
      prompt: [
        { role: 'system', content: prompt.system },
        { role: 'user', content: [{ type: 'text', text: prompt.user } as { readonly type: 'text' }] },
      ],
      maxOutputTokens: prompt.maxOutputTokens,
      ...(options !== undefined && carried(options, CARRIED)),
      ...(Object.keys(kept).length > 0 && { providerOptions: kept }),
    }
  },
  read: readAnswer,
}

/** A gateway may tell its tenants apart by headers. */
const CARRIED = ['headers'] as const

type Carried = { readonly [K in (typeof CARRIED)[number]]?: unknown }

/** Of the options of each provider, whether it may store what it is sent. */
function storeOptions(all: ProviderOptions | undefined): ProviderOptions {
  const stores = Object.entries(fieldsOf(all)).map(([provider, own]) => [provider, property(own, 'store')] as const)
  const told = stores.filter(([, store]) => typeof store === 'boolean')
  return Object.fromEntries(told.map(([provider, store]) => [provider, { store }]))
}

/** What `doGenerate` gives, or `generateText`. */
function readAnswer(response: unknown): Generated {
  const parts = listOf(property(response, 'content')).map(fieldsOf)
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [stringOr(text, '')] : []))
  const finish = property(response, 'finishReason')
  const word = stringOf(finish) ?? stringOf(property(finish, 'unified'))
  return generatedFrom({
    texts: parts.length > 0 ? texts : [stringOr(property(response, 'text'), '')],
    finish: FINISH[word ?? ''] ?? 'other',
    reasoned: parts.some(({ type }) => type === 'reasoning'),
    called: parts.some(({ type }) => type === 'tool-call'),
    refused: false,
    usage: usageOf(response),
  })
}

const FINISH: Readonly<Record<string, Generated['finish']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'refusal',
  'tool-calls': 'tool-call',
}
