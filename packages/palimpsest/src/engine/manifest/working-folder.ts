import type { ToolCall } from './tool-call.ts'

/** Share of all absolute paths that must lie in a folder before paths are printed relative to it. */
const MAJORITY = 0.6
const SHALLOWEST = 1
const DEEPEST = 24

/**
 * The folder that the paths of these calls are best printed relative to, without a slash at its end; empty when there is
 * none. It is the one that the agent's own relative paths start from, where the same files are also named absolutely;
 * else the deepest that most absolute paths lie in.
 */
export function workingFolder(calls: readonly ToolCall[]): string {
  const { absolute, relative } = pathsOf(calls)
  const inside = new Map<string, number>()
  const matched = new Map<string, number>()
  let total = 0
  for (const [path, times] of absolute) {
    total += times
    for (const folder of ancestors(path)) {
      add(inside, folder, times)
      if (relative.has(path.slice(folder.length + 1))) add(matched, folder, 1)
    }
  }
  return mostOf(matched) ?? deepestOf(inside, total * MAJORITY)
}

function pathsOf(calls: readonly ToolCall[]) {
  const absolute = new Map<string, number>()
  const relative = new Set<string>()
  for (const call of calls) {
    // A stated folder counts as a path in it, and says where the call's relative paths start.
    const stated = call.folder?.startsWith('/') ? call.folder.replace(/\/+$/, '') : undefined
    if (stated !== undefined) add(absolute, `${stated}/.`, 1)
    for (const path of call.paths) {
      if (path.startsWith('/') && !path.startsWith('/tmp/')) add(absolute, path, 1)
      else if (/^[\w.]/.test(path) && !path.startsWith('..')) relative.add(path.replace(/^\.\//, ''))
    }
  }
  return { absolute, relative }
}

function ancestors(path: string): readonly string[] {
  const parts = path.split('/').slice(0, DEEPEST)
  return parts.slice(0, -1).flatMap((_, at) => (at >= SHALLOWEST ? [parts.slice(0, at + 1).join('/')] : []))
}

function mostOf(counts: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined
  for (const [folder, count] of counts) {
    const known = best === undefined ? 0 : (counts.get(best) ?? 0)
    // Of equals the shallower: what is relative to a deeper folder by chance is a bare file name.
    if (count > known || (count === known && best !== undefined && folder.length < best.length)) best = folder
  }
  return best
}

function deepestOf(counts: ReadonlyMap<string, number>, least: number): string {
  let best = ''
  for (const [folder, count] of counts) if (count >= least && folder.length > best.length) best = folder
  return best
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}
