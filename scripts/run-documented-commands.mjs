// Runs every command and program that README.md shows and writes what they print now into it:
// `node scripts/run-documented-commands.mjs`. Nothing else of the document changes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFreshOutput } from './documents/console-session.mjs'
import { prepare, root } from './prepare.mjs'

const path = join(root, 'README.md')

if (prepare()) writeFileSync(path, withFreshOutput(readFileSync(path, 'utf8')))
else process.exitCode = 1
