import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import { z } from 'zod'
import { firstSet } from './keys.ts'
import type { ProviderSetup } from './provider.ts'

/** What a request to the backend of ChatGPT is signed with. */
export interface CodexLogin {
  readonly token: string
  /** Undefined: the backend takes the account that the token is for. */
  readonly account: string | undefined
}

/** The login file of the Codex CLI, as far as it matters here. */
const LOGIN_FILE = z.object({
  OPENAI_API_KEY: z.string().nullish(),
  tokens: z
    .object({ access_token: z.string(), account_id: z.string().nullish(), id_token: z.string().nullish() })
    .nullish(),
})

/**
 * The user's own Codex login. It is read, never written: its refresh token works once, and belongs to the Codex CLI.
 *
 * @throws PalimpsestError `not-found` where there is none that is valid.
 */
export async function codexLogin({ env, home, now }: Pick<ProviderSetup, 'env' | 'home' | 'now'>): Promise<CodexLogin> {
  const path = join(firstSet(env, ['CODEX_HOME']) ?? join(home, '.codex'), 'auth.json')
  const { tokens, OPENAI_API_KEY: key } = await loginFile(path)
  if (tokens === undefined || tokens === null) {
    const what = key ? 'holds an API key instead' : 'holds no tokens'
    const other = key ? ', or use openai:gpt-5-codex with OPENAI_API_KEY' : ''
    throw noLogin(`The Codex login ${what}: ${path}.`, other)
  }
  const { exp } = claimsOf(tokens.access_token)
  if (typeof exp === 'number' && exp * 1_000 <= now()) throw noLogin(`The Codex login has expired: ${path}.`)
  return { token: tokens.access_token, account: tokens.account_id || accountOf(tokens.id_token, tokens.access_token) }
}

async function loginFile(path: string): Promise<z.infer<typeof LOGIN_FILE>> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) throw noLogin(`There is no Codex login: ${path} cannot be read.`)
  // no cause: what JSON.parse says of a text quotes it
  const parsed = LOGIN_FILE.safeParse(jsonOf(text))
  if (!parsed.success) throw noLogin(`The Codex login cannot be understood: ${path}.`)
  return parsed.data
}

function noLogin(message: string, more = ''): PalimpsestError {
  const hint = `Run \`codex login\` (with a ChatGPT account)${more}. Without any key works: --model wirelab:demo.`
  return new PalimpsestError('not-found', message, { hint })
}

/** Where the file does not name the account, the tokens do. */
function accountOf(...tokens: readonly (string | null | undefined)[]): string | undefined {
  for (const token of tokens) {
    const auth = claimsOf(token ?? '')['https://api.openai.com/auth']
    const account = z.object({ chatgpt_account_id: z.string() }).safeParse(auth)
    if (account.success) return account.data.chatgpt_account_id
  }
  return undefined
}

/** What a JSON Web Token says; nothing where it is none. Its signature is the backend's to check. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const claims = z
    .record(z.string(), z.unknown())
    .safeParse(jsonOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  return claims.success ? claims.data : {}
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
