import { stat } from 'node:fs/promises'
import type { ImportedSession } from '@palimpsest/sessions'
import { type Dialect, type KeepWindow, PalimpsestError, type Preset, profileSession } from 'palimpsest'
import { readSession, refuseEmpty, sessionDialect } from '../conversation-input.ts'
import { inputName, refuseTooDeep, reportError } from '../error-report.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { mendedSession } from '../mended-transcript.ts'
import type { FormatName } from '../option-values.ts'
import { readPolicy } from '../policy.ts'
import { type ProfiledSession, profileJson, profileText } from '../profile-report.ts'
import { type Progress, progressOf } from '../progress.ts'
import { chooseSessions } from '../session-choice.ts'
import type { Terminal } from '../terminal.ts'
import { overheadOf, recordedSession } from '../token-overhead.ts'
import { limitOptions } from './compact.ts'

export interface ProfileCommandOptions {
  readonly format: FormatName
  readonly policy: readonly string[]
  readonly summarizer: 'extractive' | 'none'
  readonly window?: number
  readonly reserve?: number
  readonly keep?: KeepWindow
  readonly overhead?: number
  readonly fallback?: string
  readonly json?: boolean
}

/** Says what each policy would have made of each session. A file that cannot be read does not stop the others. */
export async function profile(
  named: readonly string[],
  options: ProfileCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const policies = await Promise.all(options.policy.map(readPolicy))
  const files = await chooseSessions(named, options.fallback, terminal)
  const progress = progressOf(files.length, 'profiling', terminal)
  const json: unknown[] = []
  let code: ExitCode = exitCode.fine
  for (const file of files) {
    progress.next(file)
    try {
      const profiled = await refuseTooDeep(file, () => profileFile(file, policies, options, terminal, progress))
      if (options.json) json.push(profileJson(profiled))
      else terminal.data(`${profileText(profiled, terminal)}\n`)
    } catch (error) {
      if (!(error instanceof PalimpsestError)) throw error
      code = reportError(error, terminal)
    }
  }
  progress.done()
  if (options.json) terminal.data(`${JSON.stringify({ sessions: json }, undefined, 2)}\n`)
  return code
}

async function profileFile(
  file: string,
  policies: readonly Preset[],
  options: ProfileCommandOptions,
  terminal: Terminal,
  progress: Progress,
): Promise<ProfiledSession> {
  const size = await stat(file).catch(() => undefined)
  const bytes = file === '-' ? await terminal.input() : undefined
  const parts = policies.length + 1
  const session = await readSession(file, bytes, options.format, {
    onProgress: (read) => progress.share(read / (size?.size ?? read) / parts),
  })
  const name = inputName(file)
  refuseEmpty(name, session, options.format)
  const dialect = sessionDialect(session)
  const { recorded, overhead } = replayable(session, dialect, options.overhead)
  const mended = mendedSession(dialect, recorded)
  const profiles = policies.map((preset, at) =>
    profileSession(dialect, mended.session, {
      preset,
      overhead: overhead.tokens,
      scale: overhead.scale ?? 1,
      summarizer: options.summarizer,
      ...limitOptions({ session }, options),
      ...(options.keep !== undefined && { keep: options.keep }),
      onStep: (done, all) => progress.share((at + 1 + done / all) / parts),
    }),
  )
  const windowSource = options.window !== undefined ? 'given' : session.window !== undefined ? 'recorded' : 'known'
  return { file: name, session, overhead, mended: mended.parts, profiles, windowSource }
}

/** The session to replay with its fixed tokens; the system messages of a request body are no items. */
function replayable(session: ImportedSession, dialect: Dialect<unknown, object>, given: number | undefined) {
  const recorded = recordedSession(session)
  const isRequest = session.format === 'request'
  const conversation = isRequest ? dialect.open(session.request) : { system: [], items: recorded.items }
  const overhead = overheadOf({ session, dialect, conversation }, given, 'mean')
  return { recorded: { ...recorded, items: conversation.items }, overhead }
}
