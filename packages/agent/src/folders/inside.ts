import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'

/** Where a path really is; undefined where it leads nowhere. */
export async function realPlace(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}

/** Is a path this folder, or something in it? Both as they really are. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
