import type { ProfileOverrides } from 'palimpsest'

/** The window of the demo is so small that a compaction is soon due. */
export const DEMO_LIMITS = { window: 18_500, maxOutput: 1_500 }
/** The simulator's own. */
const USUAL_LIMITS = { window: 200_000, maxOutput: 16_000 }
/** As the simulator has it. */
const RULES = { caching: true, thinkingBinding: 'turn' } as const

/** What is known of simulated models: of those that are always there, and of this one. */
export function wirelabProfiles(model = ''): ProfileOverrides {
  const [, named = 'answer'] = /^wirelab:(.*)$/s.exec(model) ?? []
  const usual = ['answer', 'tool-loop', named].map((name) => [wirelabId(name), { ...USUAL_LIMITS, ...RULES }])
  return { ...Object.fromEntries(usual), [wirelabId('demo')]: { ...DEMO_LIMITS, ...RULES } }
}

/** What the provider is told, and by which profiles are found; a file goes by its name alone. */
export function wirelabId(name: string): string {
  return `wirelab-${name.replace(/^.*[\\/]/, '')}`
}
