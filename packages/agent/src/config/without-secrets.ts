import { redactSecrets } from 'palimpsest'

/**
 * The text with nothing in it that opens a door: what stands before the host of a URL, parameters and fields with names of
 * secrets, keys of known services. Rather too much than too little: it is for messages and tables, not for use.
 *
 * @example withoutSecrets('https://me:word@host/') // 'https://…@host/'
 */
export function withoutSecrets(text: string): string {
  const urls = text.replace(BEFORE_HOST, '://…@').replace(SECRET_PARAMETER, '$1…')
  return redactSecrets(urls).replace(REDACTED, '…')
}

/** Up to the last `@`: a password may hold one, or a slash. */
const BEFORE_HOST = /:\/\/[^\s"]*@/g
const SECRET_PARAMETER = /([?&;\s][\w-]*(?:pass(?:word|wd)?|key|token|secret|sig(?:nature)?|auth)[\w-]*=)[^&\s"#]*/gi
const REDACTED = /\[redacted:[\w-]+\]/g
