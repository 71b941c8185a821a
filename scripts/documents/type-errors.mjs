// What TypeScript says of programs that stand in documents and comments, with the compiler options of this repository.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../prepare.mjs'

/**
 * The errors of each program, in the order of the programs: none where it is right. They are compiled together, each as a
 * module of its own that stands beside the scripts, so they import what a user of the packages imports. `unused`: may
 * they declare what they do not use?
 */
export function typeErrors(programs, { unused = false } = {}) {
  const sources = new Map(programs.map((text, at) => [join(root, `scripts/program-${at}-of-a-document.ts`), text]))
  const options = { ...compilerOptions(), noUnusedLocals: !unused, noUnusedParameters: !unused }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, target) =>
    sources.has(name) ? ts.createSourceFile(name, sources.get(name), target) : read(name, target)
  host.fileExists = (name) => sources.has(name) || ts.sys.fileExists(name)
  const compiled = ts.createProgram([...sources.keys()], options, host)
  return [...sources.keys()].map((name) => {
    const source = compiled.getSourceFile(name)
    const found = [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)]
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  })
}

/** The options of every package, for programs of which nothing is written. */
export function compilerOptions() {
  const { compilerOptions: given } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'))
  return ts.convertCompilerOptionsFromJson({ ...given, composite: false, declaration: false, noEmit: true }, root)
    .options
}
