// Runs what a document shows: `console` blocks as one shell session, beside the files that the document shows.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../prepare.mjs'
import { fencesOf, withFences } from './markdown.mjs'

/**
 * The document with the output of its examples as it is now. A `console` block holds commands behind `$ ` and what they
 * print; all blocks of a document run in one shell, in a folder with nothing but `examples` and the packages, away from
 * the home folder. A block `json FILE` or `js FILE` is a file of that folder.
 */
export function withFreshOutput(markdown) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-documents-'))
  try {
    for (const name of ['examples', 'node_modules']) symlinkSync(join(root, name), join(folder, name), 'junction')
    const fences = fencesOf(markdown)
    for (const { info, text } of fences) {
      const name = /^(?:json|js) (\S+)$/.exec(info)?.[1]
      if (name !== undefined) writeFileSync(join(folder, name), text)
    }
    return withFences(markdown, consoleOutput(fences, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function consoleOutput(fences, folder) {
  const blocks = fences.filter(({ info }) => info === 'console')
  const commands = blocks.map(({ text }) => [...text.matchAll(/^\$ (.*)$/gm)].map((match) => match[1]))
  const outputs = runInShell(commands.flat(), folder).values()
  return blocks.map(({ start, end }, at) => ({
    start,
    end,
    text: commands[at].map((command) => `$ ${command}\n${outputs.next().value}`).join(''),
  }))
}

/** Output and errors of each command, in one shell. `$?` is the exit code of the command before. */
function runInShell(commands, folder) {
  const out = join(folder, '.output')
  mkdirSync(out)
  const lines = commands.map((command, at) => `{ (exit $last)\n${command}\n} >"$OUT/${at}" 2>&1; last=$?`)
  spawnSync('sh', ['-c', [...shellFunctions, 'last=0', ...lines].join('\n')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: out,
      COLUMNS: '80',
      NO_COLOR: '1',
      OUT: out,
      ROOT: root,
      NODE: process.execPath,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return commands.map((_, at) => wholeLines(readFileSync(join(out, String(at)), 'utf8')))
}

/** A fence closes on a line of its own. */
function wholeLines(text) {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** `npm start` without npm: what npm itself prints in front differs from version to version. */
const shellFunctions = [
  'palimpsest() { "$NODE" "$ROOT/packages/cli/bin/palimpsest.js" "$@"; }',
  'npm() { shift; [ "$1" = -- ] && shift; palimpsest profile "$@"; }',
]
