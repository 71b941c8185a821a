import { hasKnownExtension, visitNames } from './names-in-text.ts'

/** What a shell command tells about files. */
export interface CommandFiles {
  /** Every path in it, in order, each once. */
  readonly paths: readonly string[]
  /** Those whose text it prints, when it does nothing else of interest with them. */
  readonly reads: readonly string[]
  /** Those it writes by redirection. */
  readonly writes: readonly string[]
  /** The folder it changes to first. */
  readonly folder?: string
}

const PRINTERS = /^(?:cat|head|tail|nl|bat|less|more|sed\s+-n|awk\s+'?NR)\b/
/** A command longer than this is a script with data in it (a here-document); only its head names what it acts on. */
const LONGEST_COMMAND = 20_000
const LONGEST_SCRIPT = 200_000
/** `cmd: "…"` in any of the three quotes of a script. */
const COMMAND_ARGUMENT =
  /["']?\b(?:cmd|command)["']?\s*:\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|'([^'\\]*(?:\\.[^'\\]*)*)'|`([^`\\]*(?:\\.[^`\\]*)*)`)/g

/** Reads the files a command acts on. Understands words, not the shell: quoting and expansion stay as they are. */
export function readCommand(command: string): CommandFiles {
  const text = command.slice(0, LONGEST_COMMAND)
  const code = withoutHereDocuments(text)
  const folder = /^\s*cd\s+("[^"\n]+"|'[^'\n]+'|[^\s;&|]+)/.exec(code)?.[1]?.replace(/^["']|["']$/g, '')
  const segments = code.split(/&&|\|\||;|\n|\|/)
  const reads = new Set<string>()
  for (const segment of segments) {
    if (PRINTERS.test(segment.trim())) for (const path of pathsIn(segment)) reads.add(path)
  }
  const writes = [...code.matchAll(/(?:^|[^0-9&>=-])>{1,2}\s*([^\s;&|<>()"']+)/g)]
    .map((found) => found[1] ?? '')
    .filter((path) => (path.includes('/') || hasKnownExtension(path)) && path !== '/dev/null')
  return {
    paths: pathsIn(code),
    reads: [...reads].filter((path) => !writes.includes(path)),
    writes,
    ...(folder ? { folder } : {}),
  }
}

/** Quoted strings of a command, without their quotes. */
export function quotedStrings(command: string): readonly string[] {
  return [...command.slice(0, LONGEST_COMMAND).matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g)].map(
    (found) => found[1] ?? found[2] ?? '',
  )
}

/**
 * The shell commands inside a script that calls tools (`exec_command({cmd: "…"})`), joined by line ends; undefined when
 * it calls none.
 */
export function commandsInScript(script: string): string | undefined {
  const found = [...script.slice(0, LONGEST_SCRIPT).matchAll(COMMAND_ARGUMENT)].map((literal) =>
    (literal[1] ?? literal[2] ?? literal[3] ?? '').replace(/\\([\s\S])/g, unescaped),
  )
  return found.length > 0 ? found.join('\n') : undefined
}

/** The working folder that such a script names. */
export function folderInScript(script: string | undefined): string | undefined {
  return /["']?\b(?:workdir|cwd)["']?\s*:\s*["'`]([^"'`\n]{1,400})["'`]/.exec(
    script?.slice(0, LONGEST_SCRIPT) ?? '',
  )?.[1]
}

function unescaped(_: string, code: string): string {
  return code === 'n' ? '\n' : code === 't' ? '\t' : code
}

function pathsIn(text: string): readonly string[] {
  const paths = new Set<string>()
  visitNames(text, (kind, name) => kind === 'path' && paths.add(name), true)
  return [...paths]
}

function withoutHereDocuments(command: string): string {
  const start = /<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(command)
  if (start?.[2] === undefined) return command
  const lineEnd = command.indexOf('\n', start.index)
  if (lineEnd < 0) return command
  const close = command.indexOf(`\n${start[2]}`, lineEnd)
  const rest = close < 0 ? '' : command.slice(close + 1 + start[2].length)
  return command.slice(0, lineEnd) + withoutHereDocuments(rest)
}
