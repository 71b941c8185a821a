import { visitNames } from './names-in-text.ts'
import { oneLine, withoutTerminalCodes } from './text-cut.ts'
import type { CallAction } from './tool-call.ts'

/** What a tool result says about its call. */
export interface ToolOutcome {
  readonly failed: boolean
  readonly exitCode?: number
  /** Lines that report what went wrong, the most telling first; few. */
  readonly errors: readonly string[]
  /** Hashes, URLs, numbers of pull requests that the result of a command gave out; few. */
  readonly ids: readonly string[]
  /** Lines of the result's body. */
  readonly lines: number
  /** First line of the body. */
  readonly first: string
}

const LOOKED_AT = 24_000
const LONGEST_LINE = 240
const MOST_ERRORS = 4
const MOST_IDS = 4

const EXIT_CODES = [
  /^Exit code:? (-?\d{1,5})\b/m,
  /\bexited with (?:exit )?code:? (-?\d{1,5})\b/,
  /\bfinished with exit code (-?\d{1,5})\b/,
  /<(?:exit_code|returncode)>(-?\d{1,5})</,
  /"exit_?[cC]ode"\s*:\s*(-?\d{1,5})\b/,
  /^\(?exit (?:code|status):? (-?\d{1,5})\)?$/im,
]
/** Heads that clients put before the output of a command. */
const ENVELOPE =
  /^(?:Chunk ID|Wall time|Process exited|Exit code|Original token count|Script (?:completed|failed)|Output:\s*$|Total output lines|Warning: truncated output)\b.*$/
const ERROR_LINE =
  /\b(?:error|errors|exception|traceback|panic|panicked|fatal|failed|failure|cannot|can't|unable|undefined|unexpected|not found|no such|denied|refused|invalid|timed? ?out|FAIL)\b|✗|✖|×/i
const PLAIN_FAILURE =
  /^(?:error\b|fatal:|panic:|FAIL\b|--- FAIL|Traceback|[A-Z]\w*(?:Error|Exception)\b|npm ERR!|error\[|\S+:\d+(?::\d+)?:? (?:error|fatal error)\b)/

/** Reads a result. `text` is what the model saw; `marked` is the format's own error flag, where it has one. */
export function readOutcome(text: string, marked: boolean | undefined, action: CallAction): ToolOutcome {
  const body = bodyOf(text)
  const exitCode = exitCodeOf(text) ?? (body === text ? undefined : exitCodeOf(body))
  const failed = marked === true || (exitCode !== undefined && exitCode !== 0) || body.startsWith('<tool_use_error>')
  const seen = body.length > LOOKED_AT ? `${body.slice(0, LOOKED_AT / 2)}\n${body.slice(-LOOKED_AT / 2)}` : body
  const lines = seen.split('\n').filter((line) => line.trim() !== '' && !ENVELOPE.test(line))
  return {
    failed,
    ...(exitCode === undefined ? {} : { exitCode }),
    errors: failed || action === 'run' ? errorsOf(lines, failed) : [],
    ids: action === 'run' || action === 'other' ? idsOf(lines) : [],
    lines: countLines(body),
    first: oneLine(lines[0]?.replace(/<\/?tool_use_error>/g, '') ?? '', LONGEST_LINE),
  }
}

/** The text inside a JSON envelope (`{"output": …, "metadata": …}`), or the text itself. */
export function bodyOf(text: string): string {
  if (!text.startsWith('{"output":')) return text
  try {
    const envelope: unknown = JSON.parse(text)
    const output =
      envelope !== null && typeof envelope === 'object' && 'output' in envelope ? envelope.output : undefined
    return typeof output === 'string' ? output : text
  } catch {
    return text
  }
}

function exitCodeOf(text: string): number | undefined {
  const ends = text.length > 1_200 ? `${text.slice(0, 600)}\n${text.slice(-600)}` : text
  for (const pattern of EXIT_CODES) {
    const code = pattern.exec(ends)?.[1]
    if (code !== undefined) return Number(code)
  }
  return undefined
}

function errorsOf(lines: readonly string[], failed: boolean): readonly string[] {
  const plain = lines.filter((line) => PLAIN_FAILURE.test(line.trimStart()))
  const loose = failed ? lines.filter((line) => ERROR_LINE.test(line) && line.length < 2_000) : []
  const last = failed ? lines.slice(-1) : []
  const chosen = [...plain, ...loose, ...last].map((line) =>
    oneLine(withoutTerminalCodes(line).replace(/<\/?tool_use_error>/g, ''), LONGEST_LINE),
  )
  return [...new Set(chosen)].filter((line) => line !== '').slice(0, MOST_ERRORS)
}

/** Ids in a short output, or in the last lines of a long one: what a command gave out, not what scrolled by. */
function idsOf(lines: readonly string[]): readonly string[] {
  const ids = new Set<string>()
  const told = lines.length > 20 ? lines.slice(-5) : lines
  for (const line of told) {
    visitNames(
      line.slice(0, 1_000),
      (kind, name) => kind === 'id' && !/^\d+$/.test(name) && ids.size < MOST_IDS && ids.add(name),
    )
  }
  return [...ids]
}

function countLines(body: string): number {
  let lines = body === '' ? 0 : 1
  for (let at = body.indexOf('\n'); at >= 0 && at < body.length - 1; at = body.indexOf('\n', at + 1)) lines += 1
  return lines
}
