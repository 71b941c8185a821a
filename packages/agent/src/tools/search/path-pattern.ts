import picomatch from 'picomatch'
import { ToolFailure } from '../agent-tool.ts'

/** UTF-16 units of a pattern. */
const LONGEST = 1_000

/**
 * What a glob says, as an expression that is asked of paths relative to the folder. One without `/` is asked of names at any
 * depth. @throws ToolFailure for one that is too long, or none.
 */
export function pathPattern(glob: string): RegExp {
  if (glob.length > LONGEST) throw new ToolFailure(`The glob has ${glob.length} characters; it may have ${LONGEST}.`)
  const rooted = glob.replace(/^\.?\//, '')
  const pattern = rooted.includes('/') ? rooted : `**/${rooted}`
  try {
    return picomatch.makeRe(pattern.endsWith('/') ? `${pattern}**` : pattern, { dot: true, strictBrackets: true })
  } catch (error) {
    throw new ToolFailure(
      `The glob ${JSON.stringify(glob)} cannot be read: ${error instanceof Error ? error.message : 'it is none'}.`,
    )
  }
}
