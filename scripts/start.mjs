// `npm start [-- FILE…]`: profiles the sessions given, else those of known clients in the home folder, else the example.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

if (prepare()) profile(process.argv.slice(2))
else process.exitCode = 1

function profile(words) {
  const cli = join(root, 'packages/cli/dist/main.js')
  const example = join(root, 'examples/sessions/ledger-service.jsonl')
  const child = spawn(process.execPath, [cli, 'profile', '--fallback', example, ...words], {
    stdio: 'inherit',
    cwd: callersFolder(),
  })
  // The child stands in the same terminal and gets Ctrl+C itself; we only wait for it.
  process.on('SIGINT', () => {})
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  })
}

/** npm runs scripts in the package's folder; paths that were typed are meant from where they were typed. */
function callersFolder() {
  const typedIn = process.env.npm_lifecycle_event === 'start' ? process.env.INIT_CWD : undefined
  return typedIn ?? process.cwd()
}
