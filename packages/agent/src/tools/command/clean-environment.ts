/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Names whose values open something: keys, tokens, passwords (`PGPASSWORD`), and where all conversations are kept. */
const SECRET =
  /(?:KEY|KEY_ID|PASSWORD)S?(?:_\d+)?$|(?:^|_)(?:SECRET|(?:AUTH)?TOKEN|PAT|JWT|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE)S?(?:_\d+)?$|_PWD$|^PALIMPSEST_STORE$/i
const AWS = /^AWS_(?!REGION$|DEFAULT_REGION$|PROFILE$)/i

/** What commands get to see of the environment: no secrets, and no wish for colours, pagers or questions. */
export function cleanEnvironment(env: Environment): Record<string, string> {
  const plain = Object.entries(env).filter(([name]) => !SECRET.test(name) && !AWS.test(name))
  const kept = plain.filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...Object.fromEntries(kept), ...QUIET }
}

const QUIET = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' } as const
