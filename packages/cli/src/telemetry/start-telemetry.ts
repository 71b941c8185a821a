import type { Telemetry } from 'palimpsest/otel'
import { reason } from '../written-file.ts'
import { type Environment, telemetrySettings } from './telemetry-settings.ts'

/** Telemetry that was asked for. */
export interface StartedTelemetry {
  readonly telemetry: Telemetry
  /** Sends what is left, for as long as that takes but no longer than a few seconds. Never rejects; calling it again does nothing. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** Variables of this process: the SDK reads some of them by itself. */
  readonly env: Environment
  /** One line for the person, about what was asked for and is not done. */
  readonly warn: (line: string) => void
}

/** Milliseconds that the last export may take. */
const LAST_EXPORT_MS = 4_000

/**
 * Starts OpenTelemetry where the standard `OTEL_*` variables ask for it; undefined where they do not, and then nothing of the SDK is
 * loaded. A collector that is away, or a port that is taken, never breaks a run.
 */
export async function startTelemetry({ env, warn }: StartOptions): Promise<StartedTelemetry | undefined> {
  const settings = telemetrySettings(env)
  if (settings === undefined) return undefined
  for (const warning of settings.warnings) warn(warning)
  try {
    // what reads nobody's telemetry starts without it
    const { startSdk } = await import('./telemetry-sdk.ts')
    const { telemetry, shutdown } = await startSdk(settings, { env, warn })
    let stopped: Promise<void> | undefined
    return {
      telemetry,
      stop() {
        stopped ??= withinTime(shutdown())
        return stopped
      },
    }
  } catch (error) {
    warn(`Telemetry could not be started: ${reason(error)}.`)
    return undefined
  }
}

async function withinTime(ending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LAST_EXPORT_MS)
  })
  await Promise.race([ending.catch(() => {}), late])
  clearTimeout(timer)
}
