import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentConfig } from '@palimpsest/agent'
import { usageError } from '../error-report.ts'
import { type AgentFlags, flaggedConfig } from './agent-flags.ts'

/** The process around a command. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that paths are meant from. */
  readonly cwd: string
}

/** Where the configuration of an agent comes from. */
export interface ConfigPlaces extends Surroundings {
  readonly flags: AgentConfig
  /** Another file than the project's; false: none. */
  readonly file?: string | false
}

/**
 * Where configuration comes from under these flags; `cwd` is the agent's working folder then.
 * @throws PalimpsestError `invalid-input` where there is no such folder.
 */
export function configPlaces(flags: AgentFlags, { env, cwd }: Surroundings): ConfigPlaces {
  const { config: file } = flags
  return {
    env,
    cwd: flags.cwd === undefined ? cwd : existingFolder(resolve(cwd, flags.cwd)),
    flags: flaggedConfig(flags),
    ...(file !== undefined && { file: file === false ? false : resolve(cwd, file) }),
  }
}

function existingFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw usageError(`--cwd: ${folder} is no folder.`, 'Name one that exists.')
}
