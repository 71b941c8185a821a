import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { APPLIED, BASE, NOW, OVERFLOW, SUMMARIZED, USED } from './heard-events.test-data.ts'
import { METRICS } from './names.ts'
import { type ObservedTelemetry, observedTelemetry } from './observed-telemetry.test-data.ts'

let seen: ObservedTelemetry
beforeEach(async () => {
  seen = await observedTelemetry({ now: () => NOW })
})
afterEach(() => seen.end())

describe('G2 metrics', () => {
  it('have their names, kinds, units, descriptions, attributes and buckets', async () => {
    for (const event of [APPLIED, SUMMARIZED, USED, OVERFLOW]) seen.telemetry.onEvent(event)
    seen.telemetry.onEvent({ ...BASE, type: 'compaction-failed', reason: 'overflow' })
    seen.telemetry.onEvent({ ...BASE, type: 'store-failed' })
    const told = await seen.metrics()
    expect([...told.keys()].sort()).toEqual(
      Object.values(METRICS)
        .map(({ name }) => name)
        .sort(),
    )
    const model = { 'gen_ai.request.model': 'claude-sonnet-4-5' }
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' }
    const main = { ...call, ...model, 'palimpsest.call.purpose': 'main' }
    const summary = { ...call, 'gen_ai.request.model': 'claude-haiku-4-5', 'palimpsest.call.purpose': 'summarize' }
    expect(shown(told)).toEqual({
      'palimpsest.context.input_tokens {token}': [[model, 20_000]],
      'palimpsest.context.window {token}': [[model, 200_000]],
      'palimpsest.context.compactions {compaction}': [[{ reason: 'threshold' }, 1]],
      'palimpsest.context.compactions_failed {compaction}': [[{ reason: 'overflow' }, 1]],
      'palimpsest.context.compaction_ratio 1': [[{ reason: 'threshold' }, expect.closeTo(0.125, 5)]],
      'palimpsest.context.store_failures {failure}': [[{}, 1]],
      'palimpsest.context.evicted_messages {message}': [[{}, 42]],
      'palimpsest.context.tool_args_truncated {call}': [[{}, 3]],
      'palimpsest.context.overflow_retries {retry}': [[model, 1]],
      'palimpsest.cache.read_ratio 1': [[model, 0.75]],
      'gen_ai.client.token.usage {token}': [
        [{ ...summary, 'gen_ai.token.type': 'input' }, 9_000],
        [{ ...summary, 'gen_ai.token.type': 'output' }, 700],
        [{ ...main, 'gen_ai.token.type': 'input' }, 20_000],
        [{ ...main, 'gen_ai.token.type': 'output' }, 300],
      ],
    })
    for (const definition of Object.values(METRICS)) {
      const { descriptor, dataPoints } = told.get(definition.name) as NonNullable<ReturnType<typeof told.get>>
      expect(descriptor.description).toBe(definition.description)
      for (const { value, attributes } of dataPoints) {
        const buckets = typeof value === 'number' ? undefined : (value as HistogramValue).buckets.boundaries
        expect(buckets).toEqual('buckets' in definition ? definition.buckets : undefined)
        for (const name of Object.keys(attributes)) expect(definition.attributes).toContain(name)
      }
    }
  })

  it('are counted from when a meter provider is registered, also after telemetry was made', async () => {
    const { telemetry } = seen
    await seen.end()
    telemetry.onEvent(APPLIED)
    seen = await observedTelemetry()
    telemetry.onEvent(APPLIED)
    expect(shown(await seen.metrics())).toMatchObject({
      'palimpsest.context.compactions {compaction}': [[{ reason: 'threshold' }, 1]],
    })
  })
})

interface HistogramValue {
  readonly sum: number
  readonly buckets: { readonly boundaries: readonly number[] }
}

type Metrics = Awaited<ReturnType<ObservedTelemetry['metrics']>>

/** Each metric as name and unit, with its attributes and value or sum. */
function shown(told: Metrics) {
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : (value as HistogramValue).sum)
  return Object.fromEntries(
    [...told.values()].map(({ descriptor: { name, unit }, dataPoints }) => [
      `${name} ${unit}`,
      dataPoints.map(({ attributes, value }) => [attributes, numberOf(value)]),
    ]),
  )
}
