import { isAbsolute, join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** The folder of the user's own configuration, instructions and skills; undefined where the environment names no home. */
export function userConfigFolder(env: Environment): string | undefined {
  // a relative one counts for nothing, as its specification has it
  if (env.XDG_CONFIG_HOME !== undefined && isAbsolute(env.XDG_CONFIG_HOME))
    return join(env.XDG_CONFIG_HOME, 'palimpsest')
  const home = userHome(env)
  return home === undefined ? undefined : join(home, '.config', 'palimpsest')
}

/** The user's home folder, as the environment names it. */
export function userHome(env: Environment): string | undefined {
  return env.HOME || env.USERPROFILE || undefined
}
