import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { modelList } from '@palimpsest/agent'
import type { ExitCode } from '../exit-code.ts'
import { repl } from '../repl/repl.ts'
import type { Terminal } from '../terminal.ts'
import type { AgentFlags } from './agent-flags.ts'
import { goOnCommand } from './go-on-command.ts'
import { openAgent } from './open-agent.ts'

/** Talks with the agent in the terminal, until the person leaves. */
export async function converse(
  flags: AgentFlags & { readonly prompt?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const [cwd, home] = [process.cwd(), homedir()]
  const { prompt } = flags
  return repl({
    open: (ports) =>
      openAgent(flags, ports, {
        env: process.env,
        home,
        cwd,
        watched: true,
        ...(prompt !== undefined && { firstPrompt: prompt }),
      }),
    ...(prompt !== undefined && { prompt }),
    models: () => modelList({ env: process.env, home }),
    cwd: resolve(cwd, flags.cwd ?? '.'),
    color: terminal.color && flags.color !== false,
    say: (line) => terminal.say(line),
    goOn: (id) => goOnCommand(id, flags),
  })
}
