// `npm start [-- FILE…]`: profiles the sessions given, else those of known clients in the home folder, else the example.
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { callersFolder, ended, startCommand } from './run-command.mjs'

const example = join(root, 'examples/sessions/ledger-service.jsonl')
const words = ['profile', '--fallback', example, ...process.argv.slice(2)]
process.exitCode = prepare() ? await ended(startCommand(words, { cwd: callersFolder('start') })) : 1
