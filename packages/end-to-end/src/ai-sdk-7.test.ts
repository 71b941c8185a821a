import type { ModelMessage } from 'ai'
import { generateText, isStepCount, type ModelMessage as ModelMessage7, streamText, wrapLanguageModel } from 'ai7'
import type { LanguageModelV4 } from 'ai7-provider'
import { ContextOverflowError, palimpsest } from 'palimpsest/ai-sdk'
import { describe, expect, test } from 'vitest'
import { historyOf, LONG_LOOP, MODELS_7, readTool, TASK } from './ai-sdk.test-data.ts'
import { labsOf } from './labs.test-data.ts'

const WINDOW = 32_000
const { lab } = labsOf(WINDOW)

const NAMES = Object.keys(MODELS_7)
const WAYS = ['generate', 'stream'] as const

describe.each(NAMES.flatMap((name) => WAYS.map((way) => [name, way] as const)))('%s, %s', (name, way) => {
  test('a loop of 60 steps ends with its answer, and no request is refused', async () => {
    const { url, calls } = await lab({ script: LONG_LOOP })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ window: WINDOW }) })
    expect(await runLoop(way, model)).toContain('All is read.')
    expect(calls.filter((call) => call.outcome !== 'answered')).toEqual([])
    const main = calls.filter((call) => call.purpose === 'main')
    expect(main).toHaveLength(61)
    expect(main.every((call) => call.bodyText.includes(TASK))).toBe(true)
    expect(calls.length).toBeGreaterThan(61)
  })
})

describe.each(NAMES)('%s', (name) => {
  test.each([
    ['generate', 'before-first-byte'],
    ['stream', 'before-first-byte'],
    ['stream', 'before-content'],
  ] as const)('an overflow of %s %s is not seen', async (way, when) => {
    const { url, calls } = await lab({ faults: [{ kind: 'overflow', when }] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    expect(await runLoop(way, model, historyOf(12))).toBe('Done.')
    expect(calls).toHaveLength(2)
  })

  test('an overflow after it is the provider’s own error', async () => {
    const { url, calls } = await lab({ faults: [{ kind: 'overflow', when: 'mid-stream' }] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    const error = await runLoop('stream', model, historyOf(12)).catch((one: unknown) => one)
    expect(error).not.toBeInstanceOf(ContextOverflowError)
    expect(error).not.toBe('Done.')
    expect(calls).toHaveLength(1)
  })
})

function modelAt(name: string, url: string): LanguageModelV4 {
  const make = MODELS_7[name]
  if (make === undefined) throw new RangeError(`There is no provider ${name} here.`)
  return make(url)
}

/** The text of a whole tool loop. @throws what the SDK throws, or hands to `onError`. */
async function runLoop(
  way: 'generate' | 'stream',
  model: LanguageModelV4,
  messages: ModelMessage[] = [{ role: 'user', content: TASK }],
): Promise<string> {
  // plain messages and tools are the same in both SDKs, their types are not
  const shared = { messages, tools: { read: readTool } } as unknown as Pick<
    Parameters<typeof generateText>[0],
    'tools'
  > & {
    messages: ModelMessage7[]
  }
  const call = { ...shared, model, maxOutputTokens: 2_000, maxRetries: 0 }
  if (way === 'generate') return (await generateText({ ...call, stopWhen: isStepCount(200) })).text
  const failures: unknown[] = []
  const onError = ({ error }: { readonly error: unknown }) => void failures.push(error)
  const result = streamText({ ...call, stopWhen: isStepCount(200), onError })
  await result.consumeStream({ onError: (error) => void failures.push(error) })
  if (failures.length > 0) throw failures[0]
  return result.text
}
