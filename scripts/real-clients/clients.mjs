// How each client is installed, pointed at a provider, and asked; and how its model calls its shell.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Each client: `packages` may hold its program (npm runs no install scripts, so it is taken from the package of the
 * platform), `command` what to run, `env` what points it at `url` and keeps it from calling home, `home` what it reads at
 * its start, `call` the tool call that runs a command of the shell.
 */
export const CLIENTS = [
  {
    name: 'codex',
    label: 'Codex 0.171.0',
    package: '@openai/codex@0.171.0',
    program: /vendor\/[^/]+\/bin\/codex(?:\.exe)?$/,
    command: (program, { url, words }) => [
      program,
      ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'gpt-5.1-codex'],
      ...['-c', 'model_provider=lab', '-c', 'check_for_update_on_startup=false', '-c', 'analytics.enabled=false'],
      ...['-c', `model_providers.lab={name="Lab",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`],
      words,
    ],
    env: () => ({ OPENAI_API_KEY: 'sk-not-a-key' }),
    home: (home) => mkdirSync(join(home, '.codex'), { recursive: true }),
    call: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  },
  {
    name: 'claude-code',
    label: 'Claude Code 2.1.332',
    package: '@anthropic-ai/claude-code@2.1.332',
    program: /claude-code-[^/]+\/claude(?:\.exe)?$/,
    command: (program, { words }) => [
      program,
      '-p',
      '--dangerously-skip-permissions',
      '--model',
      'claude-opus-5',
      words,
    ],
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
      IS_SANDBOX: '1',
    }),
    home: () => {},
    call: (command) => ({ name: 'Bash', input: { command, description: 'Print a part' } }),
  },
  {
    name: 'gemini-cli',
    label: 'Gemini CLI 0.61.0',
    package: '@google/gemini-cli@0.61.0',
    program: /gemini-cli\/bundle\/gemini\.js$/,
    command: (program, { words }) => [process.execPath, program, '--yolo', '-m', 'gemini-2.5-pro', '-p', words],
    env: ({ url }) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'not-a-key',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    home: (home) => {
      mkdirSync(join(home, '.gemini'), { recursive: true })
      const settings = {
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
        telemetry: { enabled: false },
      }
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    },
    call: (command) => ({ name: 'run_shell_command', input: { command, description: 'Print a part' } }),
  },
  {
    name: 'opencode',
    label: 'opencode 1.18.33',
    package: 'opencode-ai@1.18.33',
    // others are for processors without AVX2, and for musl
    program: /opencode-(?:linux|darwin|windows)-(?:x64|arm64)\/bin\/opencode(?:\.exe)?$/,
    command: (program, { words }) => [program, 'run', '-m', 'lab/lab-model', words],
    env: ({ url }) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        permission: 'allow',
        provider: {
          lab: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Lab',
            options: { baseURL: `${url}/v1`, apiKey: 'sk-not-a-key' },
            models: { 'lab-model': { name: 'Lab', limit: { context: 200_000, output: 8_192 } } },
          },
        },
      }),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
    home: () => {},
    call: (command) => ({ name: 'bash', input: { command, description: 'Print a part' } }),
  },
]
