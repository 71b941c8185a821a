import type { ImportedSession } from '@palimpsest/sessions'
import type { SessionProfile } from 'palimpsest'
import { compositionText, limitsJson, unknownWindow } from './compaction-report.ts'
import { formatBytes, formatCount, formatFloor, formatShare, formatShort, plural } from './format-number.ts'
import { terminalChart } from './terminal-chart.ts'
import { columns } from './text-columns.ts'
import type { TokenOverhead } from './token-overhead.ts'

/** One session with what each policy would have made of it. */
export interface ProfiledSession {
  readonly file: string
  readonly session: ImportedSession
  readonly overhead: TokenOverhead
  /** Parts of broken-off steps that were left out of the replay. Positions are those without them. */
  readonly mended: number
  readonly profiles: readonly SessionProfile[]
  readonly windowSource: WindowSource
}

/** Where the window comes from: `--window`, the session file, or what is known of the model. */
export type WindowSource = 'given' | 'recorded' | 'known'

/** How wide, and whether in colour. */
export interface ReportStyle {
  readonly columns: number
  readonly color: boolean
}

/** The report of one session for a person. */
export function profileText(profiled: ProfiledSession, style: ReportStyle): string {
  const { profiles, session } = profiled
  const rules = profiles.flatMap((profile) => rulesText(profile, session.dialect)).join('\n')
  const charts = profiles.map((profile) => policyText(profile, style))
  const sections = [headText(profiled), summaryTable(profiles), rules, ...charts]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function headText(profiled: ProfiledSession): string {
  const { file, session, overhead, mended } = profiled
  const facts = [session.format === 'request' ? session.dialect : session.format, session.model, session.title]
  const recorded = session.compactions.length
  const size = [
    plural(session.items.length, 'message'),
    formatBytes(session.bytes),
    ...(recorded > 0 ? [`${plural(recorded, 'compaction')} by the client itself`] : []),
    ...skippedText(session),
    ...(mended > 0 ? [`${plural(mended, 'part')} of broken-off steps left out`] : []),
  ]
  const lines = [file, facts.filter((fact) => fact !== undefined).join(', '), size.join(', ')]
  return [...lines, overheadText(overhead), windowText(profiled)].join('\n')
}

function windowText({ profiles, session, windowSource }: ProfiledSession): string {
  const window = profiles[0]?.limits.window
  if (window === undefined) return unknownWindow
  const sources = {
    given: 'as given',
    recorded: 'recorded in the session; --window N for another',
    known: `known for ${session.model}; --window N for another`,
  }
  return `window ${formatShort(window)} (${sources[windowSource]})`
}

function skippedText({ skipped }: ImportedSession): readonly string[] {
  const lines = Object.values(skipped).reduce((sum, { count }) => sum + count, 0)
  return lines === 0 ? [] : [`${plural(lines, 'line')} skipped (${Object.keys(skipped).join(', ')})`]
}

function overheadText({ source, tokens, scale }: TokenOverhead): string {
  if (source === 'unknown')
    return 'no usage recorded: sizes are estimates, system and tools taken as 0 (--overhead N sets them)'
  const kinds = {
    estimated: 'estimated from the first recorded usage',
    given: 'as given',
    request: 'counted in the request',
  }
  const fit = scale === undefined ? '' : `; recorded usage is ${scale.toFixed(2)} × the estimate`
  return `system and tools ${formatCount(tokens)} tokens, ${kinds[source]}${fit}`
}

/** Cost and recall get their columns here. */
function summaryTable(profiles: readonly SessionProfile[]): string {
  const rows = profiles.map((profile) => [
    profile.policy,
    formatCount(profile.steps.length),
    formatCount(profile.compactions.length),
    formatFloor(profile.peak),
    formatFloor(profile.steps.at(-1)?.tokens ?? 0),
    formatFloor(profile.uncompacted),
    formatShare(profile.cacheShare),
    formatCount(profile.unfit),
  ])
  const titles = ['policy', 'steps', 'compactions', 'peak', 'at the end', 'without', 'from cache', 'no fit']
  return columns([titles, ...rows], ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'])
}

/** What became of the requests: how many keep the rules of their format, and how many are too large to be sent. */
function rulesText(profile: SessionProfile, dialect: string): readonly string[] {
  const { policy, steps, unfit, limits, violations, recordingViolations } = profile
  if (steps.length === 0) return []
  const all = formatCount(steps.length)
  const kept = violations.length === 0 ? all : `at least ${formatCount(profile.sound)}`
  const keep = steps.length === 1 ? 'keeps' : 'keep'
  const faults = recordingViolations.length
  const inherited = faults === 0 ? '' : `, save ${plural(faults, 'fault')} of the recording itself (check lists them)`
  const tooLarge = `${formatCount(unfit)} of ${plural(steps.length, 'request')}`
  return [
    `${policy}: ${kept} of ${plural(steps.length, 'request')} ${keep} the rules of ${dialect}${inherited}`,
    ...(unfit === 0 ? [] : [`${policy}: ${tooLarge} would be refused by size (above ${formatFloor(limits.limit)})`]),
  ]
}

function policyText(profile: SessionProfile, style: ReportStyle): string {
  const { limits, steps, compactions } = profile
  const chart = terminalChart(
    {
      values: steps.map((step) => step.tokens),
      marks: compactions.map((compaction) => compaction.step),
      jumps: compactions.map(({ step, tokensBefore }) => ({ step, value: tokensBefore })),
      trigger: limits.trigger,
      ...(limits.window !== undefined && { window: limits.window }),
    },
    { width: style.columns, color: style.color },
  )
  const title = limits.window === undefined ? `${profile.policy}, ${unknownWindow}` : profile.policy
  return [title, chart, ...compactionLines(profile), ...refusalLines(profile), ...violationLines(profile)].join('\n')
}

function compactionLines({ compactions, limits, peak, unfit }: SessionProfile): readonly string[] {
  if (compactions.length === 0) {
    if (unfit > 0 || peak === 0) return []
    const level = limits.window ?? limits.trigger
    const name = limits.window === undefined ? 'trigger' : 'window'
    return [`  0 compactions: the largest request is ${formatShare(peak / level)} of the ${name}`]
  }
  return compactions.map((compaction) => {
    const { step, position, tokensBefore, tokensAfter, strategies } = compaction
    const sizes = `${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`
    return `  step ${step + 1}, message ${position}: ${sizes} ${compositionText(compaction, strategies)}`
  })
}

/** The reason is the same from one refusal to the next, mostly: the first says it. */
function refusalLines({ refusals }: SessionProfile): readonly string[] {
  const [first] = refusals
  if (first === undefined) return []
  const more = refusals.length === 1 ? '' : ` (tried again at ${plural(refusals.length - 1, 'later step')})`
  return [`  step ${first.step + 1}: no fit${more}: ${first.error.message}`]
}

function violationLines({ violations }: SessionProfile): readonly string[] {
  return violations.map(({ rule, position, message }) => {
    const place = position === undefined ? 'the request' : `message ${position} of the request`
    return `  broken rule ${rule}, ${place}: ${message}`
  })
}

/** The same for machines. Tokens are estimates calibrated by `overhead.scale`. */
export function profileJson(profiled: ProfiledSession): Record<string, unknown> {
  const { file, session, overhead, mended, profiles, windowSource } = profiled
  return {
    file,
    format: session.format,
    dialect: session.dialect,
    model: session.model,
    title: session.title,
    messages: session.items.length,
    bytes: session.bytes,
    skipped: session.skipped,
    recorded_compactions: session.compactions.map(({ summary: _, ...compaction }) => compaction),
    overhead,
    window_source: profiles[0]?.limits.window === undefined ? undefined : windowSource,
    mended,
    profiles: profiles.map(policyJson),
  }
}

function policyJson(profile: SessionProfile): Record<string, unknown> {
  return {
    policy: profile.policy,
    limits: limitsJson(profile.limits),
    peak: profile.peak,
    unfit: profile.unfit,
    uncompacted: profile.uncompacted,
    cache_share: profile.cacheShare,
    steps: profile.steps,
    compactions: profile.compactions,
    refusals: profile.refusals.map(({ step, error }) => ({ step, code: error.code, message: error.message })),
    sound: profile.sound,
    violations: profile.violations,
    recording_violations: profile.recordingViolations,
  }
}
