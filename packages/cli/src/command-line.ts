import { readFileSync } from 'node:fs'
import { clientNames } from '@palimpsest/sessions'
import { Command, Option } from 'commander'
import { PRESETS } from 'palimpsest'
import { addConfig, addConversation, addRun } from './agent/agent-command-line.ts'
import { check } from './commands/check.ts'
import { compact } from './commands/compact.ts'
import { count } from './commands/count.ts'
import { profile } from './commands/profile.ts'
import { replay } from './commands/replay.ts'
import { refuseTooDeep, reportError } from './error-report.ts'
import { type ExitCode, exitCode } from './exit-code.ts'
import { faultList, jsonObject } from './lab-script.ts'
import { formatNames, keepWindow, nameList, positiveTokenCount, tokenCount } from './option-values.ts'
import { LOG_FORMATS } from './proxy/log-line.ts'
import { megabytes, portNumber } from './proxy/option-values.ts'
import { addSessions } from './session-command-line.ts'
import type { Terminal } from './terminal.ts'

/** Runs one command, given its words without `node` and the script. Never throws. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCode.fine
  try {
    await program(terminal, (ended) => {
      code = ended
    }).parseAsync(words, { from: 'user' })
    return code
  } catch (error) {
    terminal.status('')
    return reportError(error, terminal)
  }
}

type End = (code: ExitCode) => void

function program(terminal: Terminal, end: End): Command {
  const root: Command = new Command('palimpsest')
  root
    .description(
      'A coding agent whose context window does not run full, and tools that keep sessions of any agent inside theirs.',
    )
    .version(version(), '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.data(text),
      writeErr: (text) => terminal.say(text.trimEnd()),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
      getOutHasColors: () => terminal.color,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('hint: --help lists what works')
    .addHelpText('after', helpTail)
  for (const add of adders) add(root, terminal, end)
  return root
}

const adders = [
  addConversation,
  addRun,
  addConfig,
  addCompact,
  addCheck,
  addCount,
  addReplay,
  addProfile,
  addSessions,
  addProxy,
  addWirelab,
]

const helpTail = `
Without a command it talks with you in the terminal; palimpsest run does one thing without a terminal.
FILE is a request body (JSON) or a session of ${clientNames('or')};
- is standard input.
Data goes to standard output, everything else to standard error.
Exit codes: 0 fine, 1 the checked thing is wrong or the agent gave no answer, 2 bad usage or unreadable input,
3 cannot be made to fit, 4 the provider failed, 130 interrupted, 70 a fault of palimpsest itself.`

const policyNames = Object.keys(PRESETS).join(', ')

function addCompact(root: Command, terminal: Terminal, end: End): void {
  const command = root
    .command('compact')
    .description('print the request that would be sent: as it came below the trigger, else compacted')
    .argument('[FILE]', 'request or session; standard input where it is missing or -')
  withLimits(command)
    .option('--policy <name|file.json>', `policy: ${policyNames}, or a JSON file`, 'palimpsest')
    .option('--keep <what>', 'newest part to leave alone: messages:6, steps:3, tokens:20k, 10%', keepWindow)
    .addOption(summarizer())
    .option('--force', 'compact below the trigger too')
    .option('--history <dir>', 'append what is evicted to a file in this folder')
    .option('--session <id>', "name of the session's history file (default: the id in the file)")
    .option('--plan-out <file>', 'write the plan, for replay')
    .option('--json-report <file>', 'write everything that is known about the compaction')
    .addOption(overhead())
    .addOption(format())
    .action(async (file, options) => end(await refuseTooDeep(file, () => compact(file, options, terminal))))
}

function addCheck(root: Command, terminal: Terminal, end: End): void {
  root
    .command('check')
    .description("list every rule of the provider's protocol that the request breaks")
    .argument('[FILE]', 'request or session; standard input where it is missing or -')
    .addOption(format())
    .addOption(json())
    .action(async (file, options) => end(await refuseTooDeep(file, () => check(file, options, terminal))))
}

function addCount(root: Command, terminal: Terminal, end: End): void {
  root
    .command('count')
    .description('print tokens by source and kind')
    .argument('[FILE]', 'request or session; standard input where it is missing or -')
    .option('--messages', 'per message too')
    .option('--exact', "count with the model's own vocabulary (OpenAI models, where gpt-tokenizer is installed)")
    .addOption(overhead())
    .addOption(format())
    .addOption(json())
    .action(async (file, options) => end(await refuseTooDeep(file, () => count(file, options, terminal))))
}

function addReplay(root: Command, terminal: Terminal, end: End): void {
  const command = root
    .command('replay')
    .description('apply a stored plan to the transcript')
    .argument('[FILE]', 'request or session; standard input where it is missing or -')
    .requiredOption('--plan <file>', 'plan, as compact --plan-out writes it')
  withLimits(command)
    .option('--policy <name|file.json>', 'policy of the compaction', 'palimpsest')
    .option('--made-at <n>', 'messages that the transcript had when the plan was made (default: all)', tokenCount)
    .option('--force', 'print the request even where the plan makes it break rules (exit 1 all the same)')
    .addOption(overhead())
    .addOption(format())
    .action(async (file, options) => end(await refuseTooDeep(file, () => replay(file, options, terminal))))
}

function addProfile(root: Command, terminal: Terminal, end: End): void {
  const command = root
    .command('profile')
    .description('replay sessions through policies, without a model, and chart their size')
    .argument('[FILE...]', 'sessions, or folders of them; the newest in the home folder where none is named')
  withLimits(command)
    .option('--policy <a,b,…>', `policies with commas between them: ${policyNames}, or JSON files`, nameList, [
      'palimpsest',
    ])
    .option('--keep <what>', 'newest part to leave alone: messages:6, steps:3, tokens:20k, 10%', keepWindow)
    .addOption(summarizer())
    .addOption(new Option('--fallback <file>', 'session to show where none is named and none is found').hideHelp())
    .addOption(overhead())
    .addOption(format())
    .addOption(json())
    .action(async (files, options) => end(await profile(files, options, terminal)))
}

function addProxy(root: Command, terminal: Terminal, end: End): void {
  root
    .command('proxy')
    .description('stand between any client and its provider, and keep every conversation inside the window')
    .requiredOption(
      '--upstream <where...>',
      'where calls go: a URL; or anthropic, openai, codex, google, bedrock, alone or as name=URL',
    )
    .option('--port <n>', 'port to listen on', portNumber, 8484)
    .option('--host <address>', 'address to listen on; another one than loopback wants a token', '127.0.0.1')
    .option('--window <tokens>', "the models' context window (default: what is known of each)", positiveTokenCount)
    .option('--policy <name|file.json>', `policy: ${policyNames}, or a JSON file`, 'palimpsest')
    .option(
      '--summarizer <who>',
      "who writes summaries: model (the call's own), extractive, or a model's name (PALIMPSEST_SUMMARIZER_MODEL)",
    )
    .option(
      '--store <where>',
      'where compactions are kept: memory, a folder, a file.db, or postgres://… for many machines',
      'memory',
    )
    .option('--history <dir>', 'append what is evicted to files in this folder')
    .option('--redact', 'keep what looks like a secret out of stored results and histories')
    .option('--reader <tool>', "the clients' tool that reads files of that folder: summaries name the path then")
    .option('--token <secret>', 'what clients must know (better: PALIMPSEST_TOKEN)')
    .option('--namespace <name>', 'one name for all callers: for one user whose key changes')
    .option('--max-body <mb>', 'megabytes that the body of a model call may have', megabytes, 64)
    .option('--no-cache-marks', 'put no prompt-cache breakpoints into requests')
    .addOption(new Option('--log <format>', 'log on standard output').choices(LOG_FORMATS).default('text'))
    .action(async (options) => {
      // servers bring much with them: commands that run one load it, the others start without it
      const { proxy } = await import('./commands/proxy.ts')
      end(await proxy(options, terminal))
    })
}

function addWirelab(root: Command, terminal: Terminal, end: End): void {
  root
    .command('wirelab')
    .description('run a strict simulator of the providers, to try clients and proxies without a key')
    .option('--port <n>', 'port on loopback', portNumber, 8585)
    .option('--window <tokens>', 'tokens that the model takes at once', positiveTokenCount, 200_000)
    .option('--script <name|file>', 'what the model does: tool-loop, answer, or what stands in a file', 'tool-loop')
    .option('--steps <n>', 'calls of the tool loop', positiveTokenCount, 20)
    .option('--tool <name>', 'the tool that it calls', 'read_file')
    .option('--input <json>', 'arguments of each call (default: the step and the tokens of its result)', jsonObject)
    .option('--result-tokens <tokens>', 'size of the result that it asks for', tokenCount, 2_000)
    .option('--text <words>', 'what it says at the end', 'All is done.')
    .addOption(
      new Option('--summary <how>', 'how it answers calls for summaries').choices(summaryWays).default('normal'),
    )
    .option('--fault <what>', 'failure to inject, again for more: overflow:mid-stream,times=2,after=3', faultList, [])
    .addOption(
      new Option('--thinking <bound>', 'what thinking is tied to').choices(['none', 'turn', 'prefix']).default('turn'),
    )
    .option('--strict-alternation', 'user and assistant must alternate')
    .option('--wording <row>', 'provider in whose words an overflow is refused: anthropic, groq, vllm, …')
    .action(async (options) => {
      const { wirelab } = await import('./commands/wirelab.ts')
      end(await wirelab(options, terminal))
    })
}

const summaryWays = [
  'normal',
  'empty',
  'refusal',
  'length',
  'tool-call',
  'repeats-input',
  'three-words',
  'overflow',
  'stalls',
]

function withLimits(command: Command): Command {
  return command
    .option(
      '--window <tokens>',
      "the model's context window: 200000, 200k, 1M (default: what is known of the model)",
      positiveTokenCount,
    )
    .option('--reserve <tokens>', 'output tokens to leave room for (default: what the request asks for)', tokenCount)
}

function format(): Option {
  return new Option('--format <name>', 'what FILE is').choices(formatNames).default('auto')
}

function json(): Option {
  return new Option('--json', 'JSON for machines')
}

function summarizer(): Option {
  return new Option('--summarizer <name>', 'who writes summaries').choices(['extractive', 'none']).default('extractive')
}

function overhead(): Option {
  return new Option('--overhead <tokens>', 'system and tools, where a session file does not hold them').argParser(
    tokenCount,
  )
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const isManifest = manifest !== null && typeof manifest === 'object' && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}
