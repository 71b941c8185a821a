import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { JOB } from './crash-job.test-data.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** Makes one program of a module of tests and all that it imports of ours. Gives its path. */
export async function bundleChild(module: string, outDir: string): Promise<string> {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'silent',
    ssr: {
      noExternal: [/^palimpsest/, /^@palimpsest/, 'kysely'],
      resolve: { conditions: ['@palimpsest/source', 'node', 'import', 'default'] },
    },
    build: { ssr: module, outDir, emptyOutDir: false, rollupOptions: { output: { entryFileNames: 'child.mjs' } } },
  })
  // drivers of databases are not put into it: they are found beside it
  await symlink(join(ROOT, 'node_modules'), join(outDir, 'node_modules'), 'junction')
  return join(outDir, 'child.mjs')
}

export interface ChildEnd<Line> {
  /** What it said, a JSON text in each line. */
  readonly lines: readonly Line[]
  /** What killed it; null where it ended by itself. */
  readonly signal: NodeJS.Signals | null
}

/** Runs a child to its end. @throws Error where it fails. */
export async function runChild<Job, Line>(program: string, job: Job): Promise<ChildEnd<Line>> {
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: { ...process.env, [JOB]: JSON.stringify(job) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new TypeError('The child has no output.')
  const gone = once(child, 'close')
  const lines: Line[] = []
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line) as Line)
  const [code, signal] = (await gone) as [number | null, NodeJS.Signals | null]
  if (code !== null && code !== 0) throw new Error(`The child failed with code ${code}.`)
  return { lines, signal }
}
