import { type EntryOptions, type FolderEntry, folderEntries } from './folder-entries.ts'

export interface TreeBounds {
  /** Folders within folders that are opened. */
  readonly depth: number
  /** Lines of the tree. */
  readonly entries: number
  /** Lines of one folder within it, so that a large one does not take the place of all others. */
  readonly perFolder: number
}

export interface FolderTree {
  /** One entry on a line, indented by depth; a folder ends in `/`. */
  readonly text: string
  readonly shown: number
  readonly ignored: number
}

interface Node {
  readonly entry: FolderEntry
  readonly children: Node[]
  /** Entries that are not shown; undefined where it was not opened. */
  more: number | undefined
}

/** A folder as a tree. Level by level, so that of a large one its upper levels are whole before anything below is shown. */
export async function folderTree(folder: string, options: EntryOptions, bounds: TreeBounds): Promise<FolderTree> {
  const top: Node = { entry: { name: '', path: folder, kind: 'folder' }, children: [], more: undefined }
  let level: { readonly node: Node; readonly rules: EntryOptions['rules'] }[] = [{ node: top, rules: options.rules }]
  let room = bounds.entries
  let ignored = 0
  for (let depth = 0; depth < bounds.depth && level.length > 0 && room > 0; depth += 1) {
    const below: typeof level = []
    for (const { node, rules } of level) {
      const found = await entriesOf(node, { ...options, rules })
      if (found === undefined) continue
      ignored += found.ignored
      const shown = found.entries.slice(0, Math.min(room, depth === 0 ? room : bounds.perFolder))
      room -= shown.length
      node.more = found.entries.length - shown.length
      for (const entry of shown) {
        const child: Node = { entry, children: [], more: undefined }
        node.children.push(child)
        if (entry.kind === 'folder') below.push({ node: child, rules: await rules?.in(entry.path) })
      }
    }
    level = below
  }
  return { text: linesOf(top, '').join('\n'), shown: bounds.entries - room, ignored }
}

/** The top must be readable; a folder below that is not stays closed. */
async function entriesOf({ entry }: Node, options: EntryOptions) {
  if (entry.name === '') return folderEntries(entry.path, options)
  return folderEntries(entry.path, options).catch(() => {
    options.signal.throwIfAborted()
    return undefined
  })
}

function linesOf({ children, more }: Node, indent: string): readonly string[] {
  const lines = children.flatMap((child) => [`${indent}${lineOf(child)}`, ...linesOf(child, `${indent}  `)])
  return more === undefined || more === 0 ? lines : [...lines, `${indent}… ${more} more`]
}

function lineOf({ entry: { name, kind }, more }: Node): string {
  const shown = name.replace(/\p{Cc}/gu, '?')
  if (kind === 'folder') return more === undefined ? `${shown}/ …` : `${shown}/`
  return kind === 'file' ? shown : `${shown} (${kind})`
}
