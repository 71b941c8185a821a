import { claudeCodeFormat } from './claude-code/claude-code-format.ts'
import type { ClientFormat } from './client-format.ts'
import { codexFormat } from './codex/codex-format.ts'
import { copilotCliFormat } from './copilot-cli/copilot-cli-format.ts'
import { geminiCliFormat } from './gemini-cli/gemini-cli-format.ts'
import type { ClientFormatName } from './imported-session.ts'
import { langSmithFormat } from './langsmith/langsmith-format.ts'
import { opencodeFormat } from './opencode/opencode-format.ts'
import { openHandsFormat } from './openhands/openhands-format.ts'
import { piFormat } from './pi/pi-format.ts'
import { sweAgentFormat } from './swe-agent/swe-agent-format.ts'
import { tauBenchFormat } from './tau-bench/tau-bench-format.ts'

/** The clients whose sessions can be read. Where two formats could claim a record, the first has it. */
export const clientFormats: readonly ClientFormat[] = [
  claudeCodeFormat,
  codexFormat,
  piFormat,
  geminiCliFormat,
  opencodeFormat,
  copilotCliFormat,
  openHandsFormat,
  sweAgentFormat,
  tauBenchFormat,
  langSmithFormat,
]

/** The format of that name. */
export function clientFormat(name: ClientFormatName): ClientFormat {
  const found = clientFormats.find((format) => format.name === name)
  if (found === undefined) throw new TypeError(`No client format is called ${name}.`)
  return found
}

/**
 * Names of the clients as they stand in a sentence: `Claude Code, Codex and pi`.
 *
 * @example
 * console.error(`Sessions of ${clientNames('or')} are read.`)
 */
export function clientNames(word: 'and' | 'or' = 'and'): string {
  const names = clientFormats.map(({ client }) => client)
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
}
