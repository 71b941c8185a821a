import type { Section } from './briefing-scope.ts'
import type { Estimate } from './text-cut.ts'

/** Weights of the sections that are neither names nor file texts; in this order they take what others leave. */
const WEIGHTS = {
  user: 20,
  plan: 7,
  previous: 20,
  next: 2,
  notes: 10,
  commands: 8,
  errors: 5,
  steps: 8,
  instructions: 8,
} as const

/** The sections that share by weight. */
export type SectionName = keyof typeof WEIGHTS
export type Sections = Readonly<Record<SectionName, Section>>
export type Texts = Readonly<Record<SectionName, string>>

export const NO_TEXTS: Texts = {
  user: '',
  plan: '',
  previous: '',
  next: '',
  notes: '',
  commands: '',
  errors: '',
  steps: '',
  instructions: '',
}

/** From this budget on, in tokens, the text of files is worth its place. */
const CONTENTS_FROM = 8_000

/** Parts of a budget for file texts, for names, and for everything else; names get half, of a large budget less. */
export function sharesOf(budget: number): {
  readonly names: number
  readonly contents: number
  readonly others: number
} {
  return budget < CONTENTS_FROM
    ? { names: 0.55, contents: 0, others: 0.45 }
    : { names: 0.32, contents: 0.42, others: 0.26 }
}

/** Each section within its weight's part of `total` tokens; then, in order, those that need more get what is left. */
export function fitShares(sections: Sections, start: Texts, total: number, estimate: Estimate): Texts {
  const names = namesOf(sections)
  const unit = total / names.reduce((sum, name) => sum + WEIGHTS[name], 0)
  const texts = { ...start }
  for (const name of names) texts[name] = sections[name].render(unit * WEIGHTS[name])
  return fitLeft(sections, texts, total - costOf(texts, estimate), estimate)
}

/** The same texts, longer where `left` more tokens allow it. */
export function fitLeft(sections: Sections, start: Texts, left: number, estimate: Estimate): Texts {
  const texts = { ...start }
  let rest = left
  for (const name of namesOf(sections)) {
    if (rest <= 0) break
    const before = estimate(texts[name])
    const longer = sections[name].render(before + rest)
    // A section that is written anew for more room may fill it less well than before.
    if (longer.length <= texts[name].length) continue
    texts[name] = longer
    rest -= estimate(longer) - before
  }
  return texts
}

/** Tokens of the texts together. */
export function costOf(texts: Texts, estimate: Estimate): number {
  return Object.values(texts).reduce((sum, text) => sum + (text === '' ? 0 : estimate(`${text}\n\n`)), 0)
}

function namesOf(sections: Sections): readonly SectionName[] {
  return (Object.keys(WEIGHTS) as SectionName[]).filter((name) => !sections[name].isEmpty)
}
