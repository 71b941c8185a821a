import { spawn } from 'node:child_process'
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

export interface ChildOptions<Line> {
  /** Told of each line when it comes, and may answer a child that waits for it. Where it fails the child is killed. */
  readonly onLine?: (line: Line, answer: () => void) => void | Promise<void>
  /** The child's input ends then: something to wait for. Default: at once. */
  readonly start?: Promise<void>
}

/** Runs a child to its end. @throws Error where it fails. */
export async function runChild<Job, Line>(
  program: string,
  job: Job,
  { onLine, start = Promise.resolve() }: ChildOptions<Line> = {},
): Promise<ChildEnd<Line>> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, [JOB]: JSON.stringify(job) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  void start.then(() => child.stdin.end())
  const lines: Line[] = []
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as Line
      lines.push(line)
      await onLine?.(line, () => child.stdin.write('.'))
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  const [code, signal] = (await gone) as [number | null, NodeJS.Signals | null]
  if (code !== null && code !== 0) throw new Error(`The child failed with code ${code}.`)
  return { lines, signal }
}
