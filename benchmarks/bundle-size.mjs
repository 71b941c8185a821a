// How much a browser downloads for the engine, and for the engine with one wire format: bundled, minified, gzipped.
import { existsSync, readdirSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from '../scripts/prepare.mjs'

const source = join(root, 'packages/palimpsest/src')

/** One row for each entry: bytes minified, bytes gzipped. Throws when a bundle needs a module that no browser has. */
export async function run() {
  const rows = []
  for (const { name, files } of entries()) {
    const { code, imports } = await bundle(files)
    const foreign = nodeImports(imports)
    if (foreign.length > 0) throw new Error(`The bundle of ${name} imports ${foreign.join(', ')}.`)
    rows.push([name, Buffer.byteLength(code), gzipSync(code, { level: 9 }).length])
  }
  return { columns: ['bundle', 'minified bytes', 'gzip bytes'], rows }
}

/** The engine, the engine with the summariser that needs no model, and the engine with each wire format. */
export function entries() {
  const engine = join(source, 'engine/index.ts')
  const dialects = readdirSync(join(source, 'dialects'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(source, 'dialects', entry.name, 'index.ts')))
    .map((entry) => ({
      name: `engine + ${entry.name}`,
      files: [engine, join(source, 'dialects', entry.name, 'index.ts')],
    }))
  const summarizer = join(source, 'summarizers/extractive.ts')
  return [
    { name: 'engine', files: [engine] },
    { name: 'engine + extractive summariser', files: [engine, summarizer] },
    ...dialects,
  ]
}

/** The files and all that they import as one minified ES module, and the names of what it leaves to import. */
export async function bundle(files) {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    plugins: [joinedEntry(files)],
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: ENTRY,
        preserveEntrySignatures: 'strict',
        // Left as imports, so that they can be seen: a browser build would put empty modules in their place.
        external: (id) => isBuiltin(id),
        output: { format: 'es', codeSplitting: false, minify: true },
      },
    },
  })
  const chunks = [result].flat().flatMap(({ output }) => output.filter(({ type }) => type === 'chunk'))
  return {
    code: chunks.map(({ code }) => code).join('\n'),
    imports: chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]),
  }
}

/** Those of the imported names that only Node.js has. */
export function nodeImports(imports) {
  return imports.filter((id) => isBuiltin(id))
}

const ENTRY = 'virtual:bundle-entry'

/** An entry that exports everything of the files. */
function joinedEntry(files) {
  const lines = files.map((file, i) => `export * as part${i} from ${JSON.stringify(file)}`)
  return {
    name: 'joined-entry',
    resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : undefined),
    load: (id) => (id === `\0${ENTRY}` ? lines.join('\n') : undefined),
  }
}
