import { parse } from 'yaml'

/** The fields between the two lines `---` at the beginning of a text; a fault where there are none that can be read. */
export type FrontMatter = { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }

export function frontMatterOf(text: string): FrontMatter {
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*\r?$/m.exec(text)
  if (match === null || match.index !== 0) return { fault: 'it does not begin with fields between two lines ---' }
  try {
    const fields: unknown = parse(match[1] ?? '', { logLevel: 'error' })
    const isRecord = fields !== null && typeof fields === 'object' && !Array.isArray(fields)
    return isRecord ? { fields: fields as Record<string, unknown> } : { fault: 'its front matter has no fields' }
  } catch (error) {
    return { fault: `its front matter is no YAML: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '')}` }
  }
}
