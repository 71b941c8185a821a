import { PalimpsestError, redactSecrets } from 'palimpsest'
import type { ProviderSetup } from './provider.ts'

/** Where a provider's server is, and who said so. */
export interface ChosenUrl {
  /** Without a slash at its end. */
  readonly url: string
  readonly host: string
  /** The variable, or the key of the configuration. */
  readonly from: string
}

/**
 * The base URL that the configuration names for a provider, or else the first of the variables that holds one.
 *
 * @throws PalimpsestError `invalid-input` where that is no HTTP URL.
 */
export function chosenUrl(
  provider: string,
  setup: Pick<ProviderSetup, 'baseUrls' | 'env'>,
  variables: readonly string[],
): ChosenUrl | undefined {
  const configured = setup.baseUrls[provider]
  if (configured !== undefined) return httpUrl(configured, `baseUrls.${provider}`)
  for (const variable of variables) {
    const value = setup.env[variable]?.trim()
    if (value !== undefined && value !== '') return httpUrl(value, variable)
  }
  return undefined
}

function httpUrl(text: string, from: string): ChosenUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new PalimpsestError('invalid-input', `${from} is no URL: ${redactSecrets(text).slice(0, 200)}`, {
      hint: `A base URL reads like http://localhost:11434/v1 or https://gateway.example.com.`,
    })
  }
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, host: url.host, from }
}

/** The URL with a last segment such as `v1`, unless it names a version already: SDKs differ on whose part that is. */
export function withVersion(url: string, version: string): string {
  return /\/v\d+(?:alpha|beta)?\d*$/.test(url) ? url : `${url}/${version}`
}

/** The same for a URL that is a mere host; one with a path is taken as it stands. */
export function withVersionAtRoot(url: string, version: string): string {
  return new URL(url).pathname === '/' ? `${url}/${version}` : url
}
