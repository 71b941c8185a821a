import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { entryMark, historyEntries } from './history-text.ts'
import { memoryStores } from './memory-stores.ts'
import { redacting, redactSecrets } from './redaction.ts'
import { entry } from './store-examples.ts'
import { storeLaws } from './store-laws.ts'

const CORPUS = join(import.meta.dirname, '../../../../../shared/corpus')

storeLaws(
  'memory, redacted',
  async (now) => {
    const stores = redacting(memoryStores({ now }))
    return { connect: () => stores }
  },
  { runs: 50 },
)

/** Letters and digits that nobody ever issued. */
function made(length: number, of = 'aB3dE5gH7jK9'): string {
  return of.repeat(Math.ceil(length / of.length)).slice(0, length)
}
const hex = (length: number) => made(length, '0a1b2c3d4e5f')
const upper = (length: number) => made(length, 'QX7ZT4')

/** Made up, and put together here, so that no scanner takes them for keys. */
const KEYS: readonly (readonly [kind: string, key: string])[] = [
  ['anthropic-key', ['sk', 'ant', 'api03', made(60)].join('-')],
  ['anthropic-key', ['sk', 'ant', 'oat01', made(60)].join('-')],
  ['openrouter-key', ['sk', 'or', 'v1', hex(64)].join('-')],
  ['openai-key', ['sk', 'proj', made(60)].join('-')],
  ['openai-key', ['sk', 'svcacct', made(60)].join('-')],
  ['api-key', ['sk', made(48)].join('-')],
  ['google-key', `AI${'za'}${made(35)}`],
  ['google-token', ['ya29', made(60)].join('.')],
  ['google-secret', ['GOCSPX', made(28)].join('-')],
  ['aws-key-id', `AK${'IA'}${upper(16)}`],
  ['aws-key-id', `AS${'IA'}${upper(16)}`],
  ['aws-bedrock-key', `AB${'SK'}${made(120)}==`],
  ['github-token', ['ghp', made(36)].join('_')],
  ['github-token', ['ghs', made(36)].join('_')],
  ['github-token', ['github', 'pat', made(22), made(59)].join('_')],
  ['gitlab-token', ['glpat', made(20)].join('-')],
  ['slack-token', ['xoxb', made(12, '123'), made(24)].join('-')],
  ['slack-token', ['xapp', '1', upper(11), made(40)].join('-')],
  ['stripe-key', ['sk', 'live', made(24)].join('_')],
  ['stripe-key', ['rk', 'test', made(24)].join('_')],
  ['stripe-secret', ['whsec', made(32)].join('_')],
  ['npm-token', ['npm', made(36)].join('_')],
  ['huggingface-token', ['hf', made(34)].join('_')],
  ['pypi-token', ['pypi', made(80)].join('-')],
  ['groq-key', ['gsk', made(52)].join('_')],
  ['xai-key', ['xai', made(80)].join('-')],
  ['perplexity-key', ['pplx', made(48)].join('-')],
  ['replicate-token', ['r8', made(37)].join('_')],
  ['langsmith-key', ['lsv2', 'pt', hex(32), hex(10)].join('_')],
  ['sendgrid-key', ['SG', made(22), made(43)].join('.')],
  ['digitalocean-token', ['dop', 'v1', hex(64)].join('_')],
  ['docker-token', ['dckr', 'pat', made(27)].join('_')],
  ['databricks-token', `da${'pi'}${hex(32)}`],
  ['shopify-token', ['shpat', hex(32)].join('_')],
  ['linear-key', ['lin', 'api', made(40)].join('_')],
  ['notion-token', ['ntn', made(46)].join('_')],
  ['supabase-key', ['sbp', hex(40)].join('_')],
  ['vault-token', ['hvs', made(90)].join('.')],
  ['atlassian-token', `ATAT${'T3'}${made(100)}`],
  ['tailscale-key', ['tskey', 'auth', made(12), made(32)].join('-')],
  ['age-key', ['AGE', 'SECRET', `KEY-1${upper(58)}`].join('-')],
  ['telegram-token', [made(10, '123456'), `AA${made(33)}`].join(':')],
  ['json-web-token', [`ey${'J'}${made(20)}`, `ey${'J'}${made(40)}`, made(43)].join('.')],
  ['google-key', ['AQ', `Ab8${made(47)}`].join('.')],
  ['slack-token', ['xoxd', made(60)].join('-')],
  ['sentry-token', ['sntryu', hex(64)].join('_')],
  ['sentry-token', ['sntrys', made(80)].join('_')],
  ['grafana-token', ['glsa', made(32), hex(8)].join('_')],
  ['postman-key', ['PMAK', hex(24), hex(34)].join('-')],
  ['doppler-token', ['dp', 'pt', made(43)].join('.')],
  ['figma-token', ['figd', made(40)].join('_')],
  ['onepassword-token', ['ops', `ey${'J'}${made(200)}`].join('_')],
  ['rubygems-key', ['rubygems', hex(48)].join('_')],
  ['crates-token', `ci${'o'}${made(32)}`],
  ['planetscale-token', ['pscale', 'tkn', made(43)].join('_')],
  ['fly-token', ['fm2', made(120)].join('_')],
  ['pulumi-token', ['pul', hex(40)].join('-')],
  ['newrelic-key', ['NRAK', upper(27)].join('-')],
  ['nvidia-key', ['nvapi', made(64)].join('-')],
  ['cerebras-key', ['csk', made(48)].join('-')],
  ['tavily-key', ['tvly', made(32)].join('-')],
  ['notion-token', ['secret', made(43)].join('_')],
  ['atlassian-token', `ATCT${'T3'}${made(100)}`],
  ['private-key', privateKey('RSA PRIVATE KEY')],
  ['private-key', privateKey('PRIVATE KEY')],
  ['private-key', privateKey('OPENSSH PRIVATE KEY')],
  ['private-key', privateKey('PGP PRIVATE KEY BLOCK')],
]

function privateKey(title: string): string {
  return [`-----BEGIN ${title}-----`, made(64), made(64), made(20), `-----END ${title}-----`].join('\n')
}

describe('redactSecrets', () => {
  test.each(KEYS)('masks a %s wherever it stands', (kind, key) => {
    const mask = `[redacted:${kind}]`
    const frames = [
      (text: string) => text,
      (text: string) => `The key is ${text}.\nNext line`,
      (text: string) => `VALUE='${text}'`,
      (text: string) => `curl -d "x=${text}&y=1"`,
      (text: string) => JSON.stringify({ out: `first line\n${text}\nlast line` }),
      (text: string) => JSON.stringify({ out: JSON.stringify({ inner: `a\n${text}\tb` }) }),
    ]
    for (const frame of frames) expect(redactSecrets(frame(key))).toBe(frame(mask))
  })

  test.each([
    [`Authorization: Bearer ${made(12)}`, 'Authorization: Bearer [redacted:credential]'],
    [`-H "authorization: Basic dXNlcjpwYXNz"`, '-H "authorization: Basic [redacted:credential]"'],
    [`{"Authorization":"Bearer ${made(12)}"}`, '{"Authorization":"Bearer [redacted:credential]"}'],
    [`sent bearer ${made(24)} again`, 'sent bearer [redacted:credential] again'],
    ['postgres://app:pa55w0rd@db:5432/x', 'postgres://app:[redacted:password]@db:5432/x'],
    ['redis://:pa55w0rd@cache', 'redis://:[redacted:password]@cache'],
    ['https://user:a%40b@host/p?q=1', 'https://user:[redacted:password]@host/p?q=1'],
    [`https://hooks.slack.com/services/T0/B0/${made(24)}`, 'https://hooks.slack.com/services/[redacted:slack-webhook]'],
    [`AccountKey=${made(86)}==;EndpointSuffix=x`, 'AccountKey=[redacted:azure-key];EndpointSuffix=x'],
    ['DB_PASSWORD=hunter', 'DB_PASSWORD=[redacted:password]'],
    ['DB_PASS=hunter\nDB_PWD=hunter', 'DB_PASS=[redacted:password]\nDB_PWD=[redacted:password]'],
    [`SECRET_KEY_BASE=${hex(128)}`, 'SECRET_KEY_BASE=[redacted:secret]'],
    [`NEW_RELIC_LICENSE_KEY=${hex(36)}NRAL`, 'NEW_RELIC_LICENSE_KEY=[redacted:secret]'],
    [`BOT_TOKEN=${made(24)}.${made(6)}.${made(38)}`, 'BOT_TOKEN=[redacted:token]'],
    ['curl -u me:pa55w0rd https://host', 'curl -u me:[redacted:password] https://host'],
    ["curl --user 'me:pa55w0rd' https://host", "curl --user 'me:[redacted:password]' https://host"],
    ['mysqldump -uroot -ppa55w0rd shop', 'mysqldump -uroot -p[redacted:password] shop'],
    ['docker login -u me -p pa55w0rd', 'docker login -u me -p [redacted:password]'],
    ['redis-cli -h cache -a pa55w0rd', 'redis-cli -h cache -a [redacted:password]'],
    [`ENV API_TOKEN ${made(30)}`, 'ENV API_TOKEN [redacted:token]'],
    [`Cookie: theme=dark; session=${made(40)}; n=1`, 'Cookie: theme=dark; session=[redacted:cookie]; n=1'],
    [`set-cookie: sid=${made(40)}; HttpOnly`, 'set-cookie: sid=[redacted:cookie]; HttpOnly'],
    [`{"Cookie":"sid=${made(40)}"}`, '{"Cookie":"sid=[redacted:cookie]"}'],
    ['export SESSION_SECRET="correct-horse"', 'export SESSION_SECRET="[redacted:secret]"'],
    ['OPENAI_API_KEY=abcdef\nNEXT=1', 'OPENAI_API_KEY=[redacted:secret]\nNEXT=1'],
    ['"env":"GH_TOKEN=abcdefgh\\nX=1"', '"env":"GH_TOKEN=[redacted:token]\\nX=1"'],
    ['POSTGRES_PASSWORD: postgres', 'POSTGRES_PASSWORD: [redacted:password]'],
    ['password: hunter2', 'password: [redacted:password]'],
    ['{"password": "p@ssword"}', '{"password": "[redacted:password]"}'],
    ['{\\"password\\": \\"p@ssword\\"}', '{\\"password\\": \\"[redacted:password]\\"}'],
    [`aws_secret_access_key = ${made(40)}`, 'aws_secret_access_key = [redacted:secret]'],
    [`apiKey: '${hex(32)}',`, "apiKey: '[redacted:secret]',"],
    [`x-api-key: ${made(20)}`, 'x-api-key: [redacted:secret]'],
    [`?access_token=${made(20)}&page=2`, '?access_token=[redacted:token]&page=2'],
    [`"refresh_token": "${made(30)}"`, '"refresh_token": "[redacted:token]"'],
    ['mysql --user root --password pa55word db', 'mysql --user root --password [redacted:password] db'],
    [`deploy --api-key=${made(20)}`, 'deploy --api-key=[redacted:secret]'],
  ])('masks what its place calls secret: %s', (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted)
  })

  test.each([
    'session 3f2b8c1e-9a4d-4c7b-8e21-0d5f6a7b8c9d of token 3f2b8c1e-9a4d-4c7b-8e21-0d5f6a7b8c9d',
    `commit ${hex(40)}`,
    `sha256:${hex(64)}  file`,
    `{"token":"${hex(40)}","integrity":"sha512-${made(86)}=="}`,
    `data:image/png;base64,iVBORw0KGgo${made(400)}/AK${'IA'}${upper(16)}${made(60)}==`,
    'claude-sonnet-4-5-20250929, gpt-5.1-codex, gemini-2.5-pro, anthropic.claude-3-5-sonnet-20241022-v2:0',
    `artifact://${hex(32)}`,
    entryMark(entry(12, '')),
    'toolu_01A09q90qw90lq917835lq9 call_abcdefghijklmnop123456 msg_01XFDUDYJgAACzvnptvVoYEL',
    'const password: string = user.password ?? "";',
    'password: Schema.string().min(12), token: tokens[0], secret: secrets.at(1)',
    'const apiKey = process.env.API_KEY ?? config.apiKey2',
    'API_KEY=$API_KEY TOKEN=$(gh auth token) SECRET={{ secret }} PASSWORD=<password> GH_TOKEN=$' + '{GH_TOKEN}',
    'max_tokens: 4096, total_tokens=123456789012, MAX_TOKEN=200000, nextPageToken: "a1b2c3d4e5f6g7h8"',
    'headers: { Authorization: `Bearer $' + '{token}` }, "Bearer " + token, bearer authentication is used here',
    'The password is checked, the token expires; a secret: never tell it.',
    '"password": "a sentence with 2 numbers and 3 more"',
    'PASSWORD_FILE=/run/secrets/db1 TOKEN_URL=https://x/y1 SECRET_NAME=name1 PRIVATE_KEY=./keys/id_1.pem',
    'https://localhost:3000/@scope/name http://host:80/a@b git@github.com:o/r.git npm_config_registry hf_hub_download',
    'if (text.startsWith("-----BEGIN PRIVATE KEY-----") && text.endsWith("-----END PRIVATE KEY-----")) return',
    'The line -----BEGIN RSA PRIVATE KEY----- opens a key, and a key is nothing to print anywhere.',
    'risk-averse-and-also-very-long-words task-0123456789abcdef0123456789abcdef desk-checks',
    'docker run -u 1000:1000 -p 8080:80 x; useradd -u 1001 me; PWD=/home/me1 OLDPWD=/tmp/a1; second_pass=12345',
    'token: "user_prompt_submit_hook_v2_with_a_long_name"; mysql -p 3306 shop; ENV SECRET_NAME shop-secrets-2024',
    'cookie: a small sweet biscuit; Cookie: theme=dark; lang=de_DE.UTF-8; secret_santa_list_of_2024_and_2025',
  ])('leaves alone: %s', (text) => {
    expect(redactSecrets(text)).toBe(text)
  })

  it('masks a private key whose end was cut off, as far as it goes, and nothing behind it', () => {
    const [first = '', ...lines] = privateKey('RSA PRIVATE KEY').split('\n').slice(0, 3)
    const cut = [first, ...lines, '', 'What follows is prose that nobody may lose.'].join('\n')
    const masked = `[redacted:private-key]\n\nWhat follows is prose that nobody may lose.`
    expect(redactSecrets(cut)).toBe(masked)
    expect(redactSecrets(`${cut}\n${privateKey('PRIVATE KEY')}`)).toBe(`${masked}\n[redacted:private-key]`)
    const numbered = [first, ...lines].map((line, at) => `${at + 1}\t${line}`).join('\n')
    expect(redactSecrets(numbered)).toBe('1\t[redacted:private-key]')
  })

  it('changes nothing the second time, whatever stands beside what', () => {
    const fragment = fc.oneof(
      fc.constantFrom(...KEYS.map(([, key]) => key)),
      fc.constantFrom('password', 'api_key', 'TOKEN', 'secret', 'Authorization: Bearer ', '://', '://u:', '--token '),
      fc.constantFrom(
        '=',
        ': ',
        '"',
        "'",
        '\\"',
        '\\n',
        '\n',
        ' ',
        '@',
        '&',
        '/',
        '-',
        '_',
        '.',
        '[',
        ']',
        ',',
        'a1b2c3d4e5f6',
      ),
      fc.constantFrom(
        ' -u me:',
        'mysql -p',
        'docker login -p ',
        'ENV API_TOKEN ',
        'cookie: ',
        'a=',
        ';',
        '_PASS=',
        '_auth=',
      ),
      fc.constantFrom('[redacted:', 'password]', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----'),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const once = redactSecrets(fragments.join(''))
        expect(redactSecrets(once)).toBe(once)
      }),
      { numRuns: 200 },
    )
  })
})

describe('ten megabytes that were made to be slow', () => {
  const SIZE = 10_000_000
  const beginnings = KEYS.map(([, key]) => key.slice(0, Math.min(5, key.length)))
  const words = [
    'Authorization: Bearer ',
    'bearer ',
    '://',
    '://a:',
    'password',
    'token=',
    'token="',
    'api_key = ',
    '--token ',
    ' -u a:',
    'mysql -p',
    'docker login ',
    'ENV A_',
    'cookie: a=',
    '_PASS=',
  ]
  const others = [
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    `${made(60)}\n`,
    '\\',
    ' ',
    '"',
    'eyJaaaaaaaaaaaa.',
  ]

  // quadratic time would take hours, counting of characters all of the stack
  test.each([...new Set([...beginnings, ...words, ...others])])('are read in one go: %j', (mark) => {
    const again = mark.repeat(SIZE / 2 / mark.length)
    const text = `${again}\n${mark}${'a'.repeat(SIZE / 4)}\n${mark}${made(SIZE / 4, 'a1.')}`
    expect(redactSecrets(text).length).toBeGreaterThan(0)
  })
})

describe('redacting', () => {
  const [, key] = KEYS[0] ?? ['', '']
  const text = `before ${key} after`
  const redacted = 'before [redacted:anthropic-key] after'

  it('gives what was stored without its secrets, and one key to a text and its redacted form', async () => {
    const stores = redacting(memoryStores())
    const artifact = await stores.artifacts.put('n', text)
    expect(await stores.artifacts.get('n', artifact)).toBe(redacted)
    expect(await stores.artifacts.put('n', redacted)).toBe(artifact)
    const session = { namespace: 'n', session: 's' }
    await stores.history.append(session, [entry(0, text)])
    await stores.history.append(session, [entry(0, text)])
    expect(historyEntries((await stores.history.read(session)) ?? '')).toEqual([entry(0, redacted)])
  })

  it('takes a redaction of the caller’s, and writes nothing when that fails', async () => {
    const inner = memoryStores()
    const shouting = redacting(inner, { redact: (one) => one.toUpperCase() })
    expect(await shouting.artifacts.get('n', await shouting.artifacts.put('n', 'text'))).toBe('TEXT')
    const failure = new Error('cannot tell')
    const fail = () => {
      throw failure
    }
    const failing = redacting(inner, { redact: fail })
    const session = { namespace: 'n', session: 's' }
    await expect(failing.artifacts.put('n', 'text')).rejects.toBe(failure)
    await expect(failing.history.append(session, [entry(0, 'text')])).rejects.toBe(failure)
    expect(await inner.history.read(session)).toBeUndefined()
  })

  it('has a search where the stores have one', async () => {
    const inner = memoryStores()
    expect(redacting(inner).history.search).toBeUndefined()
    const search = async () => ({ found: 0, matches: [] })
    const { history } = redacting({ ...inner, history: { ...inner.history, search } })
    expect(await history.search?.({ namespace: 'n', session: 's' }, 'word')).toEqual({ found: 0, matches: [] })
  })
})

// Recorded sessions lie beside the repository on some machines only.
describe.skipIf(!existsSync(CORPUS))('recorded sessions (skipped where the corpus is absent)', () => {
  const IDS = [
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    /\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b/g,
    /\b(?:claude|gpt|gemini|o[1-9])-[a-z0-9][a-z0-9.-]*/g,
    /\b(?:toolu|call|msg|fc|rs|req)_[A-Za-z0-9]+/g,
  ]

  it('lose few values, and no id, hash or name of a model', () => {
    const masked = new Map<string, number>()
    let characters = 0
    for (const file of readdirSync(CORPUS, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      const text = readFileSync(join(file.parentPath, file.name), 'utf8')
      const redacted = redactSecrets(text)
      characters += text.length
      for (const [, kind = ''] of redacted.matchAll(/\[redacted:([a-z-]+)\]/g))
        masked.set(kind, (masked.get(kind) ?? 0) + 1)
      for (const id of IDS) expect(redacted.match(id), file.name).toEqual(text.match(id))
      expect(redactSecrets(redacted) === redacted, file.name).toBe(true)
    }
    console.log(`${characters} characters of recorded sessions, masked:`, Object.fromEntries(masked))
    expect(characters).toBeGreaterThan(0)
    expect([...masked.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(characters / 500_000)
  })
})
