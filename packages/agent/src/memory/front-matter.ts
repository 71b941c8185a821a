import { parse } from 'yaml'

/** The fields between the two lines `---` at the beginning of a text; a fault where there are none that can be read. */
export type FrontMatter = { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }

export function frontMatterOf(text: string): FrontMatter {
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*\r?$/m.exec(text)
  if (match === null || match.index !== 0) return { fault: 'it does not begin with fields between two lines ---' }
  const [, yaml = ''] = match
  const strict = fieldsOf(yaml)
  if (!('fault' in strict)) return strict
  const lenient = fieldsOf(withQuotes(yaml))
  return 'fault' in lenient ? strict : lenient
}

function fieldsOf(yaml: string): FrontMatter {
  try {
    const fields: unknown = parse(yaml, { logLevel: 'error' })
    const isRecord = fields !== null && typeof fields === 'object' && !Array.isArray(fields)
    return isRecord ? { fields: fields as Record<string, unknown> } : { fault: 'its front matter has no fields' }
  } catch (error) {
    return { fault: `its front matter is no YAML: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '')}` }
  }
}

/** What people write as a description is a sentence, and seldom in quotes: `description: Use this: it helps`. */
function withQuotes(yaml: string): string {
  return yaml.replace(SENTENCE, (line, key: string, value: string) => {
    const sentence = value.trim().replace(/\s*\r?\n\s*/g, ' ')
    return IN_QUOTES.test(sentence) ? line : `${key}: ${JSON.stringify(sentence)}`
  })
}

/** With the lines that go on with it, which are indented; not a block of YAML, which takes every sentence as it is. */
const SENTENCE = /^(name|description):[ \t]+(?![>|])(\S.*(?:\n[ \t]+\S.*)*)$/gm
const IN_QUOTES = /^"[^"]*"$|^'[^']*'$/
