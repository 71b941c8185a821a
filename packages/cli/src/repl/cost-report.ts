import type { SessionCost } from '@palimpsest/agent'
import { formatCount, formatShort, plural } from '../format-number.ts'
import { oneLine } from '../session-text/plain-text.ts'
import type { Paint } from './repl-theme.ts'

/** What `/cost` prints. */
export function costReport(cost: SessionCost, paint: Paint): readonly string[] {
  const rows = [
    ['answers', cost.chat],
    ['summaries', cost.summarize],
    ['sub-agents', cost.subAgents],
  ] as const
  const lines = rows
    .filter(([label, total]) => label === 'answers' || total.calls > 0)
    .map(([label, total]) => {
      const cached = total.cacheRead > 0 ? ` (${formatShort(total.cacheRead)} from the cache)` : ''
      const tokens = `${formatShort(total.input)} in${cached}, ${formatShort(total.output)} out`
      return `${label.padEnd(11)} ${plural(total.calls, 'call')}, ${tokens}`
    })
  const models = cost.models.length === 0 ? [] : [`models: ${cost.models.map(oneLine).join(', ')}`]
  return [paint.bold('Cost of this session'), ...lines, ...models, dollarLine(cost)]
}

function dollarLine({ dollars }: SessionCost): string {
  if (dollars === undefined) return 'Prices are not known of every model that was used.'
  return `about $${dollars < 0.01 && dollars > 0 ? dollars.toFixed(4) : formatCount(Math.floor(dollars)) + dollars.toFixed(2).slice(-3)}`
}
