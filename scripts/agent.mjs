// `npm run agent [-- words]`: the palimpsest command from a clone, in the folder where it was typed; without words it talks.
import { prepare } from './prepare.mjs'
import { callersFolder, ended, startCommand } from './run-command.mjs'

const words = process.argv.slice(2)
process.exitCode = prepare() ? await ended(startCommand(words, { cwd: callersFolder('agent') })) : 1
