import type { SessionEntry, SessionSnapshot, UsageRecorded } from '@palimpsest/sessions'
import type { ProfileOverrides, Usage } from 'palimpsest'
import { resolveProfile } from 'palimpsest/engine'
import type { SessionCost } from './agent.ts'

/** What the entries of a session cost: all of it, what was undone too. Dollars only where every model's prices are known. */
export function sessionCost(
  entries: readonly SessionEntry[],
  { usage }: SessionSnapshot,
  profiles: ProfileOverrides | undefined,
): SessionCost {
  const used = entries.filter((entry): entry is SessionEntry & UsageRecorded => entry.type === 'usage-recorded')
  const dollars = used.map(({ model, usage: one }) => dollarsOf(model, one, profiles))
  const total = dollars.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0)
  return {
    chat: usage.chat,
    summarize: usage.summarize,
    subAgents: usage['sub-agent'] ?? NOTHING,
    ...(total !== undefined && { dollars: total }),
    models: [...new Set(used.flatMap(({ model }) => model ?? []))],
  }
}

const NOTHING = { calls: 0, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

/** Prices are by a million tokens; what is not told of a cache costs as much as any input. */
function dollarsOf(
  model: string | undefined,
  usage: Usage,
  profiles: ProfileOverrides | undefined,
): number | undefined {
  const { prices } = resolveProfile(model, profiles)
  if (prices === undefined) return undefined
  const { input, output, cacheRead = input, cacheWrite = input } = prices
  const plain = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite)
  return (plain * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output) / 1e6
}
