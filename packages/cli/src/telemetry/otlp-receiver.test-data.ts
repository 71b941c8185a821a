import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface ReceivedSpan {
  readonly name: string
  readonly kind: number
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[]
  readonly status: number
  readonly resource: Readonly<Record<string, unknown>>
}

/** A collector that takes OTLP over HTTP and decodes its JSON. */
export async function startOtlpReceiver() {
  const posts: { readonly path: string; readonly body: Message; readonly headers: unknown }[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    posts.push({ path: request.url ?? '', body: JSON.parse(text) as Message, headers: request.headers })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bodies = (path: string) => posts.filter((post) => post.path === path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    spans: () => bodies('/v1/traces').flatMap(spansOf),
    /** Names of metrics with their units and attributes. */
    metrics: () => bodies('/v1/metrics').flatMap(metricsOf),
    logs: () => bodies('/v1/logs').flatMap(logsOf),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface KeyValue {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number | string
    readonly doubleValue?: number
    readonly boolValue?: boolean
    readonly arrayValue?: { readonly values: readonly KeyValue['value'][] }
  }
}

interface Message {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly kind: number
        readonly spanId: string
        readonly parentSpanId?: string
        readonly attributes: readonly KeyValue[]
        readonly events: readonly { readonly name: string; readonly attributes: readonly KeyValue[] }[]
        readonly status: { readonly code?: number }
      }[]
    }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string
        readonly unit: string
        readonly sum?: { readonly dataPoints: readonly Point[] }
        readonly gauge?: { readonly dataPoints: readonly Point[] }
        readonly histogram?: { readonly dataPoints: readonly Point[] }
      }[]
    }[]
  }[]
  readonly resourceLogs?: readonly {
    readonly scopeLogs: readonly {
      readonly logRecords: readonly {
        readonly severityText: string
        readonly spanId?: string
        readonly body: KeyValue['value']
        readonly attributes: readonly KeyValue[]
      }[]
    }[]
  }[]
}

interface Point {
  readonly attributes: readonly KeyValue[]
  readonly asDouble?: number
  readonly asInt?: number | string
  readonly sum?: number
}

function spansOf({ resourceSpans = [] }: Message): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: record(span.attributes),
        events: span.events.map(({ name, attributes }) => ({ name, attributes: record(attributes) })),
        status: span.status.code ?? 0,
        resource: record(resource.attributes),
      })),
    ),
  )
}

function metricsOf({ resourceMetrics = [] }: Message) {
  return resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, unit, ...data }) => {
        const [kind, { dataPoints }] = Object.entries(data).find(([, value]) => hasPoints(value)) as [string, Points]
        return dataPoints.map(({ attributes, asDouble, asInt, sum }) => ({
          ...{ name, unit, kind, attributes: record(attributes) },
          value: Number(asDouble ?? asInt ?? sum),
        }))
      }),
    ),
  )
}

interface Points {
  readonly dataPoints: readonly Point[]
}

function hasPoints(value: unknown): value is Points {
  return typeof value === 'object' && value !== null && 'dataPoints' in value
}

function logsOf({ resourceLogs = [] }: Message) {
  return resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ severityText, body, attributes, spanId }) => ({
        ...{ severityText, body: plain(body), spanId },
        attributes: record(attributes),
      })),
    ),
  )
}

function record(attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: KeyValue['value']): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain)
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue))
}
