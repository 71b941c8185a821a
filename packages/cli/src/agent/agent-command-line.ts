import { homedir } from 'node:os'
import { type Command, Option } from 'commander'
import { PRESETS } from 'palimpsest'
import { usageError } from '../error-report.ts'
import type { ExitCode } from '../exit-code.ts'
import { OUTPUT_FORMATS } from '../headless/output-formats.ts'
import { collectedNames, positiveCount, positiveTokenCount, windowShare } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import type { AgentFlags } from './agent-flags.ts'
import { configPlaces } from './config-places.ts'

type End = (code: ExitCode) => void

/** What the command does where no other command is named: talks with the agent in the terminal. */
export function addConversation(root: Command, terminal: Terminal, end: End): void {
  withAgentOptions(root.optionsGroup('Options of the agent:'))
    .option('-p, --prompt <text>', 'begin with this message')
    .enablePositionalOptions()
    .helpCommand(true)
    .hook('preSubcommand', refuseOptionsBefore)
    .usage('[options] [command]')
    // More than one word, so that a mistyped command is named and not its arguments counted.
    .argument('[COMMAND...]')
    .action(async ([word]: readonly string[], options: AgentFlags & { readonly prompt?: string }) => {
      if (word !== undefined) await refuseUnknownCommand(root, word)
      if (!terminal.keyboard || !terminal.screen) throw noTerminal()
      const { converse } = await import('./converse.ts')
      end(await converse(options, terminal))
    })
}

/** Options of the agent may stand before the commands that open one; before another command they would be lost. */
function refuseOptionsBefore(root: Command, subcommand: Command): void {
  if (OPENING_COMMANDS.includes(subcommand.name())) return
  const given = root.options.find((option) => root.getOptionValueSource(option.attributeName()) === 'cli')
  if (given !== undefined) root.error(`error: option '${given.flags}' is none of ${subcommand.name()}`)
}

const OPENING_COMMANDS: readonly string[] = ['run', 'config']

/** Adds `run`. */
export function addRun(root: Command, terminal: Terminal, end: End): void {
  withAgentOptions(root.command('run'))
    .description('let the agent do one thing, without a conversation, and print what it says')
    .argument('[PROMPT...]', 'what it is asked; standard input is added where it is no keyboard; - is that alone')
    .addOption(
      new Option('--output <format>', 'what to print: the words, one object, or a line per event')
        .choices(OUTPUT_FORMATS)
        .default('text'),
    )
    .addHelpText('after', runHelp)
    .action(async (words: readonly string[], _, command: Command) => {
      const { run } = await import('../commands/run.ts')
      end(await run(words, optionsOf(command), terminal))
    })
}

const runHelp = `
Nobody is asked: what is not allowed by --allow or a configuration file is denied, and the agent is told so.
Exit codes: 0 an answer, 1 no answer (--max-steps reached, a fault in the turn), 2 bad usage or configuration, a missing
key, 3 the conversation cannot be made to fit the window, 4 the provider failed, 130 interrupted: what was done until then
is stored, and --session ID goes on with it.`

/** Options that stand behind the command, and those before it that are not given again. */
function optionsOf<Options extends AgentFlags>(command: Command): Options {
  return { ...command.parent?.opts(), ...command.opts<Options>() }
}

/** Adds `config`. */
export function addConfig(root: Command, terminal: Terminal, end: End): void {
  withAgentOptions(root.command('config'))
    .description('print the configuration of the agent that counts here, and where each value comes from')
    .option('--json', 'JSON for machines')
    .action(async (_, command: Command) => {
      const flags: AgentFlags & { readonly json?: boolean } = optionsOf(command)
      const places = configPlaces(flags, { env: process.env, cwd: process.cwd() })
      const { configCommand } = await import('../commands/config.ts')
      end(
        await configCommand(
          { ...places, home: homedir(), ...(flags.json !== undefined && { json: flags.json }) },
          terminal,
        ),
      )
    })
}

/** Adds the options of everything that opens an agent. */
export function withAgentOptions(command: Command): Command {
  return withWhere(withContext(withModel(command)))
}

function withModel(command: Command): Command {
  return command
    .option(
      '--model <name>',
      'the model, as provider:model: anthropic, openai, openai-chat, codex, google, bedrock, wirelab',
    )
    .option(
      '--summarizer <name>',
      "who writes summaries: provider:model, a model's id, or extractive (default: --model)",
    )
    .addOption(new Option('--effort <level>', 'how hard the model thinks').choices(['low', 'medium', 'high']))
    .option(
      '--max-steps <n>',
      'calls of the model that a turn may take (default: 200 of run, no bound else)',
      positiveCount,
    )
    .option(
      '--allow <what>',
      'run without asking: write, command, command:npm test, all; again or with commas for more',
      collectedNames,
    )
}

function withContext(command: Command): Command {
  return command
    .option(
      '--policy <name|file.json>',
      `how the context is kept small: ${Object.keys(PRESETS).join(', ')}, or a JSON file`,
    )
    .option('--window <tokens>', "the model's context window (default: what is known of it)", positiveTokenCount)
    .option('--trigger-frac <share>', 'compact from this share of the window on: 0.85', windowShare)
    .option('--keep-frac <share>', 'leave this share of the window alone, the newest: 0.1', windowShare)
}

function withWhere(command: Command): Command {
  return command
    .option('--cwd <dir>', 'the working folder (default: this one)')
    .option('--config <file>', 'configuration (default: palimpsest.config.ts or .json, up the tree)')
    .option('--no-config', 'read no configuration file')
    .option('--store <where>', 'where sessions are kept: a file, or postgres://… (default: in your data folder)')
    .option('--namespace <name>', 'whose sessions (default: those of nobody in particular)')
    .option('--session <id>', 'go on with the session of this id, or begin one')
    .addOption(
      new Option('--resume [id]', 'go on with a stored session (default: the newest of this folder)').conflicts(
        'session',
      ),
    )
    .addOption(new Option('--tool-results <how>', 'what is stored of results').choices(['full', 'compact']))
    .option('--redact', 'keep what looks like a secret out of stored results and histories')
    .option('--no-color', 'no colours')
}

async function refuseUnknownCommand(root: Command, word: string): Promise<never> {
  const names = root.commands.map((command) => command.name())
  // only who mistypes waits for it
  const { nearestNames } = await import('@palimpsest/agent')
  const [near] = nearestNames(word, names)
  const meant = near === undefined ? `\n(palimpsest run "…" asks the agent)` : `\n(Did you mean ${near}?)`
  return root.error(`error: unknown command '${word}'${meant}`, { code: 'commander.unknownCommand' })
}

function noTerminal(): Error {
  return usageError(
    'A conversation needs a terminal, and standard input or output is none.',
    'palimpsest run "…" does one thing without one; palimpsest --help lists the other commands.',
  )
}
