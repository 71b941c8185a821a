import type { ImportedSession } from '@palimpsest/sessions'
import type { SessionProfile } from 'palimpsest'
import { editsText, limitsJson, unknownWindow } from './compaction-report.ts'
import { formatBytes, formatCount, formatShare, formatShort, plural } from './format-number.ts'
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
}

/** How wide, and whether in colour. */
export interface ReportStyle {
  readonly columns: number
  readonly color: boolean
}

/** The report of one session for a person. */
export function profileText(profiled: ProfiledSession, style: ReportStyle): string {
  const charts = profiled.profiles.map((profile) => policyText(profile, style))
  return `${[headText(profiled), summaryTable(profiled.profiles), ...charts].join('\n\n')}\n`
}

function headText({ file, session, overhead, mended }: ProfiledSession): string {
  const facts = [session.format === 'request' ? session.dialect : session.format, session.model, session.title]
  const recorded = session.compactions.length
  const size = [
    plural(session.items.length, 'message'),
    formatBytes(session.bytes),
    ...(recorded > 0 ? [`${plural(recorded, 'compaction')} by the client itself`] : []),
    ...skippedText(session),
    ...(mended > 0 ? [`${plural(mended, 'part')} of broken-off steps left out`] : []),
  ]
  return [file, facts.filter((fact) => fact !== undefined).join(', '), size.join(', '), overheadText(overhead)].join(
    '\n',
  )
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
    formatShort(profile.peak),
    formatShort(profile.steps.at(-1)?.tokens ?? 0),
    formatShort(profile.uncompacted),
    formatShare(profile.cacheShare),
    formatCount(profile.refusals.length),
  ])
  const titles = ['policy', 'steps', 'compactions', 'peak', 'at the end', 'without', 'from cache', 'no fit']
  return columns([titles, ...rows], ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'])
}

function policyText(profile: SessionProfile, style: ReportStyle): string {
  const { limits, steps, compactions } = profile
  const chart = terminalChart(
    {
      values: steps.map((step) => step.tokens),
      marks: compactions.map((compaction) => compaction.step),
      trigger: limits.trigger,
      ...(limits.window !== undefined && { window: limits.window }),
    },
    { width: style.columns, color: style.color },
  )
  const title = limits.window === undefined ? `${profile.policy}, ${unknownWindow}` : profile.policy
  return [title, chart, ...compactionLines(profile), ...refusalLines(profile)].join('\n')
}

function compactionLines({ compactions }: SessionProfile): readonly string[] {
  return compactions.map(
    ({ step, position, tokensBefore, tokensAfter, strategies, plan }) =>
      `  step ${step + 1}, message ${position}: ${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens, ${editsText(plan, position)} by ${strategies.join(', ')}`,
  )
}

/** The reason is the same from one refusal to the next, mostly: the first says it. */
function refusalLines({ refusals }: SessionProfile): readonly string[] {
  const [first] = refusals
  if (first === undefined) return []
  const more = refusals.length === 1 ? '' : ` (and at ${plural(refusals.length - 1, 'later step')})`
  return [`  step ${first.step + 1}: no fit${more}: ${first.error.message}`]
}

/** The same for machines. Tokens are estimates calibrated by `overhead.scale`. */
export function profileJson({ file, session, overhead, mended, profiles }: ProfiledSession): Record<string, unknown> {
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
    mended,
    profiles: profiles.map(policyJson),
  }
}

function policyJson(profile: SessionProfile): Record<string, unknown> {
  return {
    policy: profile.policy,
    limits: limitsJson(profile.limits),
    peak: profile.peak,
    uncompacted: profile.uncompacted,
    cache_share: profile.cacheShare,
    steps: profile.steps,
    compactions: profile.compactions,
    refusals: profile.refusals.map(({ step, error }) => ({ step, code: error.code, message: error.message })),
    violations: profile.violations,
  }
}
