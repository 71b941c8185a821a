import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type LogLine, type ProxyOptions, type RunningProxy, startProxy } from '@palimpsest/cli/proxy'
import { startWirelab, type Wirelab, type WirelabOptions } from '@palimpsest/wirelab'
import type { Tool } from './fetch-clients.test-data.ts'

export const WINDOW = 32_000

const open: (() => Promise<unknown>)[] = []

/** Ends all that a test started, newest first. */
export async function endAll(): Promise<void> {
  for (const end of open.splice(0).reverse()) await end()
}

/** A simulator with the proxy in front of it; what the proxy logs is kept. */
export async function startBoth(
  lab: WirelabOptions = {},
  own: Partial<ProxyOptions> = {},
): Promise<{ readonly lab: Wirelab; readonly proxy: RunningProxy; readonly lines: readonly LogLine[] }> {
  const started = await startWirelab({ window: WINDOW, script: partLoop(STEPS), ...lab })
  open.push(() => started.close())
  return { lab: started, ...(await startOne({ upstreams: [started.url], ...own })) }
}

export async function startOne(
  options: ProxyOptions,
): Promise<{ readonly proxy: RunningProxy; readonly lines: readonly LogLine[] }> {
  const lines: LogLine[] = []
  const proxy = await startProxy({ exchange: { window: WINDOW }, log: (line) => lines.push(line), ...options })
  open.push(() => {
    proxy.breakOff()
    return proxy.close()
  })
  return { proxy, lines }
}

/** A server that answers as it is told. */
export async function startUpstream(answer: (body: string, response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => answer(body, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const STEPS = 400
const RESULT_LINES = 20

/** About 250 tokens, unlike those of any other step. */
export const readPart: Tool = ({ step = 0 }) =>
  Array.from({ length: RESULT_LINES }, (_, line) => `export const value_${step}_${line} = compute(${line})`).join('\n')

/** A model that reads part after part: which is next, it sees in the conversation alone. */
export function partLoop(steps: number): NonNullable<WirelabOptions['script']> {
  return ({ body }) => {
    const { messages, input, contents } = body as Readonly<Record<string, readonly object[] | undefined>>
    const last = JSON.stringify((messages ?? input ?? contents ?? []).at(-1))
    const step = Number(/value_(\d+)_/.exec(last)?.[1] ?? -1) + 1
    if (step >= steps) return { parts: [{ kind: 'text', text: 'All is done.' }] }
    return { parts: [{ kind: 'tool-call', id: `call_${step}`, name: 'read_file', input: { step } }] }
  }
}

/** Calls that were not answered, in words. */
export function refusals({ calls }: Wirelab): readonly string[] {
  return calls.filter(({ outcome }) => outcome !== 'answered').map(({ message, reason }) => message ?? reason ?? '')
}

/** The value of one series of `/metrics`; 0 where it has none. */
export function metric(proxy: RunningProxy, series: string): number {
  const line = proxy
    .metrics()
    .split('\n')
    .find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}
