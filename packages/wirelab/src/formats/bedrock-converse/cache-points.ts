import { type Fields, field, listField } from '../../json-fields.ts'
import { type Breach, MODEL_ERRORS } from './breach.ts'
import type { ReadMessage } from './messages.ts'

const MOST = 4
/** Lifetimes in seconds by what `ttl` says; without it, five minutes. */
const SECONDS: Readonly<Record<string, number>> = { '5m': 300, '1h': 3_600 }

/** How long a cache point keeps what stands before it; undefined: the block is none. */
export function cachePointSeconds(block: unknown): number | undefined {
  const point = field(block, 'cachePoint') ?? undefined
  return point === undefined ? undefined : (SECONDS[String(field(point, 'ttl') ?? '5m')] ?? 300)
}

/** At most four cache points, longer lifetimes before shorter ones: in the order tools, system, messages. */
export function cachePointRule(request: Fields, messages: readonly ReadMessage[]): Breach | undefined {
  const places = [
    ...listField(request.toolConfig, 'tools').map((block, at) => ({ block, at: `tools.${at}` })),
    ...listField(request, 'system').map((block, at) => ({ block, at: `system.${at}` })),
    ...messages.flatMap(({ index, blocks }) =>
      blocks.map((block, at) => ({ block, at: `messages.${index}.content.${at}` })),
    ),
  ]
  const points = places.flatMap(({ block, at }) => {
    const seconds = cachePointSeconds(block)
    return seconds === undefined ? [] : [{ seconds, at }]
  })
  if (points.length > MOST) {
    return {
      rule: 'cache-points',
      message: `${MODEL_ERRORS}A maximum of 4 blocks with cache_control may be provided. Found ${points.length}.`,
    }
  }
  const late = points.find(({ seconds }, at) => at > 0 && seconds > (points[at - 1]?.seconds ?? seconds))
  if (late === undefined) return undefined
  return {
    rule: 'cache-order',
    message:
      `${MODEL_ERRORS}${late.at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` +
      'cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
  }
}
