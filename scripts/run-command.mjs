import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './prepare.mjs'

/** Starts the built `palimpsest`, in this terminal or with other streams. */
export function startCommand(words, { stdio = 'inherit', ...options } = {}) {
  return spawn(process.execPath, [join(root, 'packages/cli/dist/main.js'), ...words], { stdio, ...options })
}

/** The exit code of a child. It stands in the same terminal and gets Ctrl+C itself; we only wait for it. */
export function ended(child) {
  process.on('SIGINT', () => {})
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}

/** npm runs scripts in the package's folder; paths that were typed are meant from where they were typed. */
export function callersFolder(script) {
  const typedIn = process.env.npm_lifecycle_event === script ? process.env.INIT_CWD : undefined
  return typedIn ?? process.cwd()
}
