/** One line of the log. Never holds keys, headers, bodies or words of a conversation. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  /** What happened; always one of a few phrases. */
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | undefined>>
}

/** Takes one line at a time. */
export type ProxyLog = (line: LogLine) => void

export const LOG_FORMATS = ['text', 'json', 'off'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** A log that writes in this format; `off` writes nothing. `now`: milliseconds since the epoch. */
export function proxyLog(
  format: LogFormat,
  write: (text: string) => void,
  options: { readonly now?: () => number } = {},
): ProxyLog {
  const now = options.now ?? Date.now
  if (format === 'off') return () => {}
  const line = format === 'json' ? jsonLine : textLine
  return (entry) => write(`${line(entry, new Date(now()).toISOString())}\n`)
}

function jsonLine({ level, message, fields }: LogLine, time: string): string {
  return JSON.stringify({ time, level, message, ...fields })
}

function textLine({ level, message, fields }: LogLine, time: string): string {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  const shown = known.map(([name, value]) => `${name}=${plainOrQuoted(String(value))}`)
  return [time, level, message, ...shown].join(' ')
}

/** One line stays one line, whatever stands in a value. */
function plainOrQuoted(text: string): string {
  return /^[\w./:@%+→-]+$/.test(text) ? text : JSON.stringify(text)
}
