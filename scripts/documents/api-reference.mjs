// The API reference, as TypeDoc reads it off the sources: what is public, what is wrong with its comments, its examples.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, LogLevel, ReflectionKind, TypeDocReader } from 'typedoc'
import { root } from '../prepare.mjs'
import { compilerOptions } from './type-errors.mjs'

/** What the packages publish: the name to import, and the source that it stands for. A new path needs no line here. */
export function entryPoints() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return Object.entries(exports).flatMap(([path, { '@palimpsest/source': source }]) =>
      source === undefined ? [] : [{ name: name + path.slice(1), package: name, file: join(root, folder, source) }],
    )
  })
}

/** The reference, ready to be written, and everything that TypeDoc has against it. */
export async function apiReference() {
  const points = entryPoints()
  const files = points.map(({ file }) => file)
  const app = await Application.bootstrap({ entryPoints: files }, [new TypeDocReader()])
  app.options.setValue('packagesRequiringDocumentation', [...new Set(points.map((point) => point.package))])
  app.options.setCompilerOptions(files, compilerOptions(), undefined)
  const complaints = []
  app.logger.log = (message, level) => {
    if (level >= LogLevel.Warn) complaints.push(message)
  }
  const project = await app.convert()
  for (const module of project?.children ?? [])
    module.name = importedBy(project.getSymbolIdFromReflection(module), points)
  if (project !== undefined) app.validate(project)
  return { app, project, complaints }
}

/** What one writes in an import; TypeDoc names modules by their folders. */
function importedBy({ packageName, packagePath }, points) {
  const stands = ({ package: name, file }) => name === packageName && file.endsWith(packagePath)
  return points.find(stands).name
}

/** Each entry point with the names that it exports: which of them are types, and which can be called. */
export function exportsOf(project) {
  return (project.children ?? []).map((module) => ({
    name: module.name,
    exports: (module.children ?? []).map((exported) => {
      const target = exported.isReference() ? exported.getTargetReflectionDeep() : exported
      return {
        name: exported.name,
        isType: target.kindOf(ReflectionKind.Interface | ReflectionKind.TypeAlias),
        isCallable: target.kindOf(ReflectionKind.Function | ReflectionKind.Class),
        // what stands elsewhere too is shown there
        examples: exported.isReference() ? undefined : examplesOf(target),
      }
    }),
  }))
}

function examplesOf(exported) {
  const comment = exported.signatures?.[0]?.comment ?? exported.comment
  return (comment?.blockTags ?? [])
    .filter(({ tag }) => tag === '@example')
    .map(({ content }) =>
      content
        .map(({ text }) => text)
        .join('')
        .replace(/^```\w*\n|\n?```$/g, ''),
    )
}
