import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { agentTelemetry } from '../../packages/agent/src/telemetry/agent-telemetry.ts'
import {
  ATTRIBUTES,
  COMPACTION_LOG,
  METRICS,
  type MetricDefinition,
  OPERATIONS,
  PURPOSES,
  REASONS,
  SEMANTIC_CONVENTIONS,
  SPAN_EVENTS,
} from '../../packages/palimpsest/src/telemetry/names.ts'
import { openTelemetry } from '../../packages/palimpsest/src/telemetry/open-telemetry.ts'
import { attributes, code, dashboard, folder, metrics, page, rowsOf, rules } from './operations.test-data.ts'
import { prometheusLabel, prometheusSeries } from './prometheus-names.ts'
import { isBalanced, type PlacedQuery, promqlParts, queriesOf, traceqlParts } from './telemetry-queries.ts'

const promql: readonly PlacedQuery[] = [
  ...queriesOf(page).promql.map((query) => ({ where: 'observability.md', query })),
  ...rules.map(({ alert, expr }) => ({ where: alert, query: expr })),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.flatMap(({ expr }) => (expr === undefined ? [] : [{ where: title, query: expr }])),
  ),
]
const traceql: readonly PlacedQuery[] = [
  ...queriesOf(page).traceql.map((query) => ({ where: 'observability.md', query })),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.flatMap(({ query }) => (query === undefined ? [] : [{ where: title, query }])),
  ),
]

describe('G4 the page says of every name what it is', () => {
  it('metrics: name, series, kind, unit and attributes', () => {
    const told = rowsOf('metric').map((row) => row.slice(0, 5))
    const expected = metrics.map((metric) => [
      code([metric.name]),
      code([shortened(prometheusSeries(metric))]),
      metric.kind,
      code([metric.unit]),
      code(metric.attributes),
    ])
    expect(told).toEqual(expected)
    expect(rowsOf('metric').every((row) => (row[5] ?? '') !== '')).toBe(true)
  })

  it('attributes: all, once, and on which signals', () => {
    const rows = rowsOf('attribute')
    expect(rows.map(([name]) => name).sort()).toEqual(attributes.map((name) => code([name])).sort())
    const on = (signal: string) =>
      rows.flatMap(([name = '', where = '']) => (where.split(', ').includes(signal) ? [name.slice(1, -1)] : []))
    expect(on('log').sort()).toEqual([...COMPACTION_LOG.attributes].sort())
    expect(on('metrics').sort()).toEqual([...new Set(metrics.flatMap((metric) => metric.attributes))].sort())
    const events = Object.fromEntries(rowsOf('event').map(([name, , , list = '']) => [name, list]))
    expect(events[code([SPAN_EVENTS.compacted])]).toBe(code(inOrderOf(events, SPAN_EVENTS.compacted, on('compaction'))))
    expect(events[code([SPAN_EVENTS.overflowRetry])]).toBe(
      code(inOrderOf(events, SPAN_EVENTS.overflowRetry, on('overflow'))),
    )
  })

  it('attributes: on what a turn of the agent emits, and on nothing else', async () => {
    const emitted = await emittedAttributes()
    const told = Object.fromEntries(
      Object.keys(emitted).map((signal) => [
        signal,
        rowsOf('attribute')
          .filter(([, where = '']) => where.split(', ').includes(signal))
          .map(([name = '']) => name.slice(1, -1))
          .sort(),
      ]),
    )
    expect(told).toEqual(emitted)
  })

  it('spans, span events and the log line', () => {
    const spans = rowsOf('span').map(([name = '']) => name)
    for (const operation of Object.values(OPERATIONS)) {
      expect(spans).toContainEqual(expect.stringMatching(new RegExp(`^\`${operation} \\{\\w+\\}\`$`)))
    }
    expect(rowsOf('event').map(([name]) => name)).toEqual(Object.values(SPAN_EVENTS).map((name) => code([name])))
    expect(page).toContain(`body \`${COMPACTION_LOG.body}\`, event name \`${COMPACTION_LOG.event}\``)
    expect(page).toContain(`release ${SEMANTIC_CONVENTIONS}`)
  })

  it('reasons and purposes', () => {
    const row = (name: string) => rowsOf('attribute').find(([first]) => first === code([name]))?.[2] ?? ''
    for (const reason of REASONS) expect(row(ATTRIBUTES.compactionReason)).toContain(`\`${reason}\``)
    expect(row(ATTRIBUTES.purpose)).toBe(code(Object.values(PURPOSES)))
  })

  it('names nothing that is not there', () => {
    const known: readonly string[] = [
      ...attributes,
      ...Object.values(SPAN_EVENTS),
      ...metrics.map(({ name }) => name),
      COMPACTION_LOG.event,
    ]
    const quoted = [...page.matchAll(/`((?:palimpsest|gen_ai|provider|error)\.[\w.]+)`/g)].map(([, name = '']) => name)
    expect(quoted.length).toBeGreaterThan(60)
    expect(quoted.filter((name) => !known.includes(name) && !existsSync(join(folder, name)))).toEqual([])
  })
})

/** Names of all attributes by signal, of a turn in which everything happens. */
async function emittedAttributes(): Promise<Readonly<Record<string, readonly string[]>>> {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const { onEvent, onCompactorEvent } = agentTelemetry(await openTelemetry({ tracerProvider }))
  const usage = { input: 9_000, cacheRead: 1_000, cacheWrite: 1_000, output: 90 }
  const base = { id: 's/1', session: 's', model: 'claude-sonnet-5', upstream: 'api.anthropic.com' }
  const step = { type: 'step-started', step: 1, model: 'anthropic:claude-sonnet-5' } as const
  const tool = { id: 'toolu_1', name: 'bash' }
  onEvent({ type: 'turn-started', session: 's', turn: 1 })
  onEvent(step)
  const facts = { kind: 'tokens', limit: 200_000, size: 204_512, detail: 'too long' } as const
  onCompactorEvent({ ...base, type: 'overflow-detected', facts, attempt: 1, remedy: 'compaction' })
  const asked = { by: 'extractive', asked: 'claude-haiku-5', rejections: ['too-short'] } as const
  onCompactorEvent({ ...base, ...asked, type: 'summarizer-called', usage, milliseconds: 5 })
  onCompactorEvent({
    ...{
      ...base,
      type: 'compaction-applied',
      reason: 'overflow',
      plan: { steps: [] },
      recordId: 'r',
      strategies: ['x'],
    },
    ...{ tokensBefore: 9, tokensAfter: 3, evicted: 2, usage, historyPath: 'history.md', truncatedArguments: 0 },
  } as Parameters<typeof onCompactorEvent>[0])
  onEvent({ type: 'step-ended', step: 1, text: '', usage })
  onEvent({ ...tool, type: 'tool-call', input: {} })
  onEvent({ ...tool, type: 'tool-result', text: '', failed: true, milliseconds: 5 })
  onEvent(step)
  onEvent({ type: 'turn-ended', outcome: 'failed', error: new PalimpsestError('no-progress', 'It does not fit.') })
  return bySignal(exporter.getFinishedSpans())
}

function bySignal(spans: readonly ReadableSpan[]): Readonly<Record<string, readonly string[]>> {
  const named = (list: readonly object[]) => [...new Set(list.flatMap((one) => Object.keys(one)))].sort()
  const of = (operation: string, purpose?: string) =>
    spans.filter(
      ({ attributes: found }) => found[ATTRIBUTES.operation] === operation && found[ATTRIBUTES.purpose] === purpose,
    )
  const events = (name: string) =>
    spans.flatMap((span) => span.events.filter((event) => event.name === name).map((event) => event.attributes ?? {}))
  const onSpans = (list: readonly ReadableSpan[]) => named(list.map((span) => span.attributes))
  return {
    turn: onSpans(of(OPERATIONS.agent)),
    chat: onSpans(of(OPERATIONS.chat)),
    summary: onSpans(of(OPERATIONS.chat, PURPOSES.summarize)),
    tool: onSpans(of(OPERATIONS.tool)),
    compaction: named(events(SPAN_EVENTS.compacted)),
    overflow: named(events(SPAN_EVENTS.overflowRetry)),
  }
}

/** `name_{bucket,sum,count}` */
function shortened(series: readonly string[]): string {
  if (series.length === 1) return series.join()
  return `${series[0]?.replace(/_bucket$/, '')}_{${series.map((one) => one.replace(/^.*_/, '')).join(',')}}`
}

/** The names of the set in the order in which the row of the event has them; those that it lacks at the end. */
function inOrderOf(events: Readonly<Record<string, string>>, event: string, set: readonly string[]): readonly string[] {
  const list = events[code([event])] ?? ''
  const place = (name: string) => (list.includes(code([name])) ? list.indexOf(code([name])) : list.length)
  return set.toSorted((a, b) => place(a) - place(b))
}

describe('the names that Prometheus sees', () => {
  it('are those that the exporter of OpenTelemetry prints too', async () => {
    const printed = await printedSeries(metrics)
    expect(printed).toEqual(metrics.flatMap(prometheusSeries).sort())
  })

  it('have no unit whose suffix only one of the two ways would append', () => {
    const inSeconds: MetricDefinition = { ...METRICS.window, unit: 's' }
    expect(() => prometheusSeries(inSeconds)).toThrow(RangeError)
    const share: MetricDefinition = { ...METRICS.window, name: 'a.b', unit: '1' }
    expect(prometheusSeries(share)).toEqual(['a_b_ratio'])
  })
})

class ReaderOnDemand extends MetricReader {
  protected onForceFlush(): Promise<void> {
    return Promise.resolve()
  }
  protected onShutdown(): Promise<void> {
    return Promise.resolve()
  }
}

/** What an exporter prints when each metric was recorded once. */
async function printedSeries(definitions: readonly MetricDefinition[]): Promise<readonly string[]> {
  const reader = new ReaderOnDemand({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE })
  const provider = new MeterProvider({ readers: [reader] })
  const meter = provider.getMeter('test')
  for (const { name, kind, unit, description } of definitions) {
    if (kind === 'counter') meter.createCounter(name, { unit, description }).add(1)
    else if (kind === 'gauge') meter.createGauge(name, { unit, description }).record(1)
    else meter.createHistogram(name, { unit, description }).record(1)
  }
  const { resourceMetrics } = await reader.collect()
  const text = new PrometheusSerializer().serialize(resourceMetrics)
  await provider.shutdown()
  const names = [...text.matchAll(/^(\w+)\{/gm)].map(([, name = '']) => name)
  return [...new Set(names)].filter((name) => name !== 'target_info').sort()
}

describe('G4 queries name what is emitted', () => {
  const labelsOf = new Map<string, readonly string[]>(
    metrics.flatMap((metric) =>
      prometheusSeries(metric).map((series): [string, readonly string[]] => [
        series,
        [...metric.attributes.map(prometheusLabel), 'job', 'instance', ...(series.endsWith('_bucket') ? ['le'] : [])],
      ]),
    ),
  )
  labelsOf.set('ALERTS', ['alertname', 'alertstate'])
  const valuesOf = new Map<string, readonly string[]>([
    ['reason', REASONS],
    [prometheusLabel(ATTRIBUTES.purpose), Object.values(PURPOSES)],
    [prometheusLabel(ATTRIBUTES.tokenType), ['input', 'output']],
    [prometheusLabel(ATTRIBUTES.requestModel), ['$model']],
    ['job', ['$job']],
    ['alertname', ['Palimpsest.*']],
    ['alertstate', ['firing']],
  ])

  it('finds queries everywhere', () => {
    expect(promql.length).toBeGreaterThan(30)
    expect(traceql.length).toBeGreaterThan(15)
    expect(promqlParts('sum by (x) (rate(a_sum{b="c"}[1h] offset 1h)) / 1e6 * max(d)')).toEqual({
      selectors: [
        { series: 'a_sum', matchers: [{ label: 'b', values: ['c'] }] },
        { series: 'd', matchers: [] },
      ],
      grouping: ['x'],
    })
  })

  it.each(promql)('PromQL of $where: $query', ({ query }) => {
    expect(isBalanced(query)).toBe(true)
    const { selectors, grouping } = promqlParts(query)
    expect(selectors.length).toBeGreaterThan(0)
    const wrong = selectors.flatMap(({ series, matchers }) => [
      ...(labelsOf.has(series) ? [] : [series]),
      ...matchers.flatMap(({ label, values }) => wrongMatcher(series, label, values)),
    ])
    expect(wrong).toEqual([])
    const shared = selectors.map(({ series }) => labelsOf.get(series) ?? [])
    expect(grouping.filter((label) => !shared.some((labels) => labels.includes(label)))).toEqual([])
  })

  function wrongMatcher(series: string, label: string, values: readonly string[]): readonly string[] {
    if (!labelsOf.get(series)?.includes(label)) return [`${series}{${label}}`]
    if (label === 'le') return boundsOf(series).includes(Number(values.join())) ? [] : [`${series}: le ${values}`]
    return values.filter((value) => !valuesOf.get(label)?.includes(value)).map((value) => `${label}: ${value}`)
  }

  it.each(traceql)('TraceQL of $where: $query', ({ query }) => {
    expect(isBalanced(query)).toBe(true)
    const { attributes: named, events, values } = traceqlParts(query)
    expect(named.length + events.length).toBeGreaterThan(0)
    expect(named.filter(({ scope, name }) => !standsOn(scope, name))).toEqual([])
    expect(events.filter((name) => !(Object.values(SPAN_EVENTS) as string[]).includes(name))).toEqual([])
    const sets: Readonly<Record<string, readonly string[]>> = {
      [ATTRIBUTES.operation]: Object.values(OPERATIONS),
      [ATTRIBUTES.purpose]: Object.values(PURPOSES),
      [ATTRIBUTES.compactionReason]: REASONS,
    }
    expect(values.filter(({ attribute, value }) => sets[attribute]?.includes(value) === false)).toEqual([])
  })

  it('the variables of the dashboard', () => {
    const { list } = dashboard.templating
    const asked = list.flatMap(({ definition }) => (definition === undefined ? [] : [definition]))
    expect(asked.length).toBeGreaterThan(0)
    for (const definition of asked) {
      const [, series = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? []
      expect(labelsOf.get(series)).toContain(label)
    }
    const names = [...list.map(({ name }) => name), '__rate_interval']
    const used = promql.flatMap(({ query }) => [...query.matchAll(/\$(\w+)/g)].map(([, name = '']) => name))
    expect(used.filter((name) => !names.includes(name))).toEqual([])
    expect(list.filter(({ name }) => !used.includes(name))).toEqual([])
  })
})

function boundsOf(series: string): readonly number[] {
  return metrics.find((metric) => prometheusSeries(metric).includes(series))?.buckets ?? []
}

/** Does an attribute stand on a span, or on a span event, by the table? */
function standsOn(scope: string, name: string): boolean {
  const where =
    rowsOf('attribute')
      .find(([first]) => first === code([name]))?.[1]
      ?.split(', ') ?? []
  const places = scope === 'event' ? ['compaction', 'overflow'] : ['turn', 'chat', 'summary', 'tool']
  return ['event', 'span'].includes(scope) && where.some((place) => places.includes(place))
}
