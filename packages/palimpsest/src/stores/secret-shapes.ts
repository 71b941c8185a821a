/** A secret that is known by how it looks. */
interface Shape {
  readonly kind: string
  /** One of these is in every secret of this shape: most texts are told by that alone. */
  readonly marks: readonly string[]
  /** What comes before the secret is its first group, where it has one, and stays. */
  readonly pattern: RegExp
}

/**
 * No letter or digit before a secret, but for the letter of an escape: in JSON inside JSON a line begins behind `\n`. Each
 * pattern begins here or with a literal and never looks for the same characters twice, so none takes more than linear time.
 */
const START = String.raw`(?<!(?<!\\)[nrt]|[A-Za-mo-qsu-z0-9])`
/** The same for shapes that base64 could hold by chance. */
const START_OF_BASE64 = String.raw`(?<!(?<!\\)[nrt]|[A-Za-mo-qsu-z0-9+/])`

/** What hangs on a secret goes with it: else the mask would be a beginning for what was none before. */
const REST = '[A-Za-z0-9_-]*'

const SHAPES: readonly Shape[] = [
  shape('anthropic-key', ['sk-ant-'], 'sk-ant-[A-Za-z0-9_-]{16,}'),
  shape('openrouter-key', ['sk-or-'], 'sk-or-[A-Za-z0-9_-]{32,}'),
  shape('openai-key', ['sk-'], 'sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,}'),
  // other providers with OpenAI's API have keys of this shape too
  shape('api-key', ['sk-'], '(?<![_-])sk-[A-Za-z0-9]{32,}'),
  shape('google-key', ['AIza'], 'AIza[A-Za-z0-9_-]{35,}', START_OF_BASE64),
  shape('google-token', ['ya29.'], String.raw`ya29\.[A-Za-z0-9_-]{20,}`),
  shape('google-secret', ['GOCSPX-'], 'GOCSPX-[A-Za-z0-9_-]{20,}'),
  shape(
    'aws-key-id',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    'A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9+/])',
    START_OF_BASE64,
  ),
  shape('aws-bedrock-key', ['ABSK'], 'ABSK[A-Za-z0-9+/]{90,}={0,2}', START_OF_BASE64),
  shape('aws-bedrock-key', ['bedrock-api-key-'], 'bedrock-api-key-[A-Za-z0-9+/=_-]{20,}'),
  shape('azure-key', ['AccountKey=', 'SharedAccessKey='], '((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{30,}={0,2}'),
  shape('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{30,}'),
  shape('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{22,}'),
  shape(
    'gitlab-token',
    ['gl'],
    '(?:glpat|gldt|glrt|glcbt|glptt|glft|glimt|glagent|gloas|glsoat|glffct)-[A-Za-z0-9_-]{20,}(?:[.][0-9a-z]{2}[.][0-9a-z]{7,9})?',
  ),
  shape('slack-token', ['xox'], 'xox[abcdeoprs]-[A-Za-z0-9-]{10,}'),
  shape('slack-token', ['xapp-'], 'xapp-[0-9]-[A-Za-z0-9-]{10,}'),
  shape(
    'slack-webhook',
    ['hooks.slack.com'],
    String.raw`(hooks\.slack\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]{20,}`,
  ),
  shape('discord-webhook', ['/api/webhooks/'], '(/api/webhooks/[0-9]{1,30}/)[A-Za-z0-9_-]{40,}', ''),
  shape('stripe-key', ['_live_', '_test_'], '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}'),
  shape('stripe-secret', ['whsec_'], 'whsec_[A-Za-z0-9+/]{24,}={0,2}'),
  shape('npm-token', ['npm_'], 'npm_[A-Za-z0-9]{36,}'),
  shape('huggingface-token', ['hf_'], 'hf_[A-Za-z0-9]{30,}'),
  shape('huggingface-token', ['api_org_'], 'api_org_[A-Za-z0-9]{30,}'),
  shape('pypi-token', ['pypi-'], 'pypi-[A-Za-z0-9_-]{50,}'),
  shape('groq-key', ['gsk_'], 'gsk_[A-Za-z0-9]{40,}'),
  shape('xai-key', ['xai-'], 'xai-[A-Za-z0-9]{40,}'),
  shape('perplexity-key', ['pplx-'], 'pplx-[A-Za-z0-9]{32,}'),
  shape('replicate-token', ['r8_'], 'r8_[A-Za-z0-9]{30,}'),
  shape('langsmith-key', ['lsv2_'], 'lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,}'),
  shape('sendgrid-key', ['SG.'], String.raw`SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}`),
  shape('digitalocean-token', ['_v1_'], 'do[opr]_v1_[a-f0-9]{64,}'),
  shape('docker-token', ['dckr_'], 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'),
  shape('databricks-token', ['dapi'], 'dapi[a-f0-9]{32}(?![A-Za-z0-9])', START_OF_BASE64),
  shape('shopify-token', ['shp'], 'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}'),
  shape('linear-key', ['lin_'], 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  shape('notion-token', ['ntn_'], 'ntn_[A-Za-z0-9]{40,}'),
  shape('supabase-key', ['sb'], '(?:sbp_[a-f0-9]{40,}|sb_secret_[A-Za-z0-9_-]{20,})'),
  shape('vault-token', ['hvs.', 'hvb.'], String.raw`hv[sb]\.[A-Za-z0-9_-]{24,}`),
  shape('atlassian-token', ['ATATT3', 'ATCTT3'], 'AT[AC]TT3[A-Za-z0-9_=-]{60,}', START_OF_BASE64),
  shape('tailscale-key', ['tskey-'], 'tskey-[a-z]{1,12}-[A-Za-z0-9-]{16,}'),
  shape('age-key', ['AGE-SECRET-KEY-'], 'AGE-SECRET-KEY-1[A-Z0-9]{50,}'),
  shape('google-key', ['AQ.Ab'], String.raw`AQ\.Ab[A-Za-z0-9_-]{40,}`),
  shape('notion-token', ['secret_'], 'secret_(?=[A-Za-z]{0,42}[0-9])[A-Za-z0-9]{43}(?![A-Za-z0-9])'),
  shape('sentry-token', ['sntry'], '(?:sntrys_[A-Za-z0-9_+/=-]{40,}|sntryu_[a-f0-9]{64,})'),
  shape('grafana-token', ['glsa_', 'glc_'], '(?:glsa_[A-Za-z0-9]{32,}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=]{40,})'),
  shape('postman-key', ['PMAK-'], 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  shape('doppler-token', ['dp.'], String.raw`dp\.(?:pt|st|sa|ct|scim|audit)\.[A-Za-z0-9_-]{40,}`),
  shape('figma-token', ['figd_'], 'figd_[A-Za-z0-9_-]{30,}'),
  shape('onepassword-token', ['ops_eyJ'], 'ops_eyJ[A-Za-z0-9+/=_-]{100,}'),
  shape('rubygems-key', ['rubygems_'], 'rubygems_[a-f0-9]{48,}'),
  shape('crates-token', ['cio'], 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9+/=_-])', START_OF_BASE64),
  shape('planetscale-token', ['pscale_'], 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_-]{32,}'),
  shape('fly-token', ['fm1', 'fm2_', 'fo1_'], '(?:fm1[ar]_|fm2_|fo1_)[A-Za-z0-9+/=_-]{40,}'),
  shape('pulumi-token', ['pul-'], 'pul-[a-f0-9]{40,}'),
  shape('newrelic-key', ['NRAK-'], 'NRAK-[A-Z0-9]{27,}'),
  shape('nvidia-key', ['nvapi-'], 'nvapi-[A-Za-z0-9_-]{60,}'),
  shape('cerebras-key', ['csk-'], 'csk-[a-z0-9A-Z]{40,}'),
  shape('tavily-key', ['tvly-'], 'tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}'),
  shape('telegram-token', [':AA'], '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])'),
  shape(
    'json-web-token',
    ['eyJ'],
    String.raw`(?<![_.-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
  ),
  {
    kind: 'credential',
    marks: ['uthorization', 'UTHORIZATION'],
    pattern:
      /(authorization\\{0,4}["'`]?\s{0,4}[:=]\s{0,4}\\{0,4}["'`]?(?:(?:bearer|basic|token|digest|apikey|api-key)\s{1,4}))[A-Za-z0-9._~+/=-]{8}[A-Za-z0-9._~+/=-]*/gi,
  },
  {
    kind: 'credential',
    marks: ['earer ', 'EARER '],
    // a digit among the first characters tells it from a word
    pattern: /(\bbearer )(?=[A-Za-z._~+/=-]{0,40}[0-9])[A-Za-z0-9._~+/=-]{20}[A-Za-z0-9._~+/=-]*/gi,
  },
  {
    kind: 'password',
    marks: ['://'],
    // what is a variable or a mask already stays
    pattern: /(:\/\/[^\s/:@"'`<>\\]*:)(?![$%{(])[^\s/@"'`<>[\]\\]+(?=@)/g,
  },
]

/** Masks keys and tokens of well-known services, and credentials whose place says what they are. */
export function maskShapes(text: string): string {
  return SHAPES.reduce((masked, { kind, marks, pattern }) => {
    if (!marks.some((mark) => masked.includes(mark))) return masked
    return masked.replace(pattern, (_, before?: string | number) =>
      typeof before === 'string' ? `${before}[redacted:${kind}]` : `[redacted:${kind}]`,
    )
  }, text)
}

function shape(kind: string, marks: readonly string[], source: string, start = START): Shape {
  return { kind, marks, pattern: new RegExp(start + uncounted(source) + REST, 'g') }
}

/** `[…]{9,}` as `[…]{9}[…]*`: counting takes stack for each character, and a megabyte of them takes all there is. */
function uncounted(source: string): string {
  return source.replace(/(\[[^\]]+\])\{(\d+),\}/g, '$1{$2}$1*')
}
