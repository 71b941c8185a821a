import {
  type CompactResult,
  compactConversation,
  dialectMeter,
  evictedEntries,
  type KeepWindow,
  type LimitOptions,
  Transcript,
} from 'palimpsest'
import { DirectoryHistory } from 'palimpsest/stores/node'
import { type CompactionFacts, planText, reportJson, reportLine } from '../compaction-report.ts'
import { type ConversationInput, readConversation } from '../conversation-input.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { mendingPlan } from '../mended-transcript.ts'
import { ownProfiles } from '../model-profiles.ts'
import type { FormatName } from '../option-values.ts'
import { readPolicy } from '../policy.ts'
import type { Terminal } from '../terminal.ts'
import { overheadOf, type TokenOverhead } from '../token-overhead.ts'
import { writeNamedFile } from '../written-file.ts'

export interface CompactCommandOptions {
  readonly format: FormatName
  readonly policy: string
  readonly summarizer: 'extractive' | 'none'
  readonly window?: number
  readonly reserve?: number
  readonly keep?: KeepWindow
  readonly overhead?: number
  readonly force?: boolean
  readonly history?: string
  readonly session?: string
  readonly planOut?: string
  readonly jsonReport?: string
}

/**
 * Prints the request that would be sent. History, plan and report are written before it, so that nothing points to what
 * is not there. A request that cannot be made to fit prints nothing.
 */
export async function compact(
  file: string | undefined,
  options: CompactCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const input = await readConversation(file, options.format, terminal)
  const preset = await readPolicy(options.policy)
  const overhead = overheadOf(input, options.overhead)
  const mending = input.session.format === 'request' ? {} : mendingPlan(input.dialect, input.conversation.items)
  const result = compactConversation(input.dialect, input.conversation, {
    preset,
    summarizer: options.summarizer,
    ...limitOptions(input, options),
    ...sizeOptions(overhead),
    ...(mending.removals !== undefined && { current: mending, madeAt: input.conversation.items.length }),
    ...(options.keep !== undefined && { keep: options.keep }),
    ...(options.force !== undefined && { force: options.force }),
  })
  const plan = result.status === 'compacted' ? result.plan : mending
  const output = outputOf(input, result)
  const historyPath = await writeHistory(input, result, options)
  if (options.planOut !== undefined && result.status !== 'refused') {
    await writeNamedFile(options.planOut, `${planText(plan, result)}\n`)
  }
  const facts: CompactionFacts = {
    input,
    policy: preset.name,
    overhead,
    result,
    plan,
    previous: mending,
    mended: mending.removals?.length ?? 0,
    bytesBefore: Buffer.byteLength(input.whole),
    ...(result.status !== 'refused' && { bytesAfter: Buffer.byteLength(output) }),
    ...(historyPath !== undefined && { historyPath }),
  }
  if (options.jsonReport !== undefined) {
    await writeNamedFile(options.jsonReport, `${JSON.stringify(reportJson(facts), undefined, 2)}\n`)
  }
  terminal.say(reportLine(facts))
  if (result.status === 'refused') throw result.error
  terminal.data(output)
  return exitCode.fine
}

/** The bytes that came, where nothing is to be changed: neither an item nor the output cap. */
function outputOf(
  { conversation, whole, render }: ConversationInput,
  result: CompactResult<object>,
): string | Uint8Array {
  if (result.status === 'refused') return ''
  return result.conversation === conversation ? whole : render(result.conversation)
}

function transcriptOf({ dialect, conversation }: ConversationInput): Transcript {
  return new Transcript(dialect, dialectMeter(dialect, conversation.model, 'mean'), conversation.items)
}

/** Window and reserve: what was asked for, else what the session recorded, else what is known of the model. */
export function limitOptions(
  { session }: Pick<ConversationInput, 'session'>,
  options: { readonly window?: number; readonly reserve?: number },
): Pick<LimitOptions, 'window' | 'reserve' | 'profiles'> {
  const window = options.window ?? session.window
  return {
    profiles: ownProfiles(),
    ...(window !== undefined && { window }),
    ...(options.reserve !== undefined && { reserve: options.reserve }),
  }
}

/** Overhead and scale as the library takes them: a request body holds its own. */
function sizeOptions({ source, tokens, scale }: TokenOverhead): { overhead?: number; scale?: number } {
  return { ...(source !== 'request' && { overhead: tokens }), ...(scale !== undefined && { scale }) }
}

async function writeHistory(
  input: ConversationInput,
  result: CompactResult<object>,
  options: CompactCommandOptions,
): Promise<string | undefined> {
  if (options.history === undefined || result.status !== 'compacted') return undefined
  const session = options.session ?? input.session.id ?? 'session'
  return new DirectoryHistory(options.history).append(session, evictedEntries(transcriptOf(input), result.plan))
}
