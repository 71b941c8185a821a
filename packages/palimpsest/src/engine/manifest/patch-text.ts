/** What a call did to the text of one file. */
export interface FileEdit {
  readonly path: string
  /** The text that it replaced; absent when the whole file was written. */
  readonly before?: string
  /** The text that stands there now. */
  readonly after: string
}

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const FILE_HEADER = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/
const DIFF_HEADER = /^(?:---|\+\+\+) (?:[ab]\/)?(\S+)/

/** The edits of an apply-patch text, hunk by hunk; empty when the text holds no patch. Also reads one inside a string literal. */
export function readPatch(text: string): readonly FileEdit[] {
  const start = text.indexOf(BEGIN)
  if (start >= 0) {
    const end = text.indexOf(END, start)
    return readHunks(unescaped(text.slice(start, end < 0 ? undefined : end)), FILE_HEADER)
  }
  return /^--- /m.test(text) && /^@@/m.test(text) ? readHunks(text, DIFF_HEADER) : []
}

/** The files that a patch names, deleted and moved ones too, each once. */
export function patchPaths(text: string): readonly string[] {
  const edits = readPatch(text).map((edit) => edit.path)
  const headers = text.includes(BEGIN) ? text.matchAll(/\*\*\* (?:Add|Update|Delete) File: ([^\n\\"`]+)/g) : []
  return [...new Set([...[...headers].map((header) => (header[1] ?? '').trim()), ...edits])].filter(
    (path) => path !== '',
  )
}

function readHunks(patch: string, header: RegExp): FileEdit[] {
  const edits: FileEdit[] = []
  let path = ''
  let before: string[] = []
  let after: string[] = []
  const close = () => {
    if (path !== '' && path !== '/dev/null' && before.length + after.length > 0) {
      edits.push({ path, ...(before.length > 0 ? { before: before.join('\n') } : {}), after: after.join('\n') })
    }
    before = []
    after = []
  }
  for (const line of patch.split('\n')) {
    const named = header.exec(line)
    if (named || line.startsWith('@@')) {
      close()
      path = named?.[1]?.trim() ?? named?.[2]?.trim() ?? path
    } else if (line.startsWith('-')) before.push(line.slice(1))
    else if (line.startsWith('+')) after.push(line.slice(1))
    else if (line.startsWith(' ')) {
      before.push(line.slice(1))
      after.push(line.slice(1))
    }
  }
  close()
  return edits
}

/** A patch inside a string literal of a script has its line ends escaped. */
function unescaped(patch: string): string {
  if (patch.includes('\n')) return patch
  return patch.replace(/\\([nt"'`\\])/g, (_, code: string) => (code === 'n' ? '\n' : code === 't' ? '\t' : code))
}
