import type { BriefingScope, Section } from './briefing-scope.ts'
import { fileTextOf, windowsAround } from './file-text.ts'
import type { FileUse } from './file-uses.ts'

export const CONTENTS_HEADING = '## Text of the files touched last, newest first'

const MOST_FILES = 5
/** A file of which less than this many tokens would fit is left out. */
const SMALLEST_SHARE = 60

/** The text of the files touched last, as the transcript itself shows it, around what was edited where all does not fit. */
export function fileContentsSection(scope: BriefingScope, uses: ReadonlyMap<string, FileUse>): Section {
  const newest = [...uses.values()].sort((a, b) => b.lastUse - a.lastUse)
  return {
    isEmpty: newest.length === 0,
    render(budget) {
      let left = budget - scope.estimate(`${CONTENTS_HEADING}\n`)
      const blocks: string[] = []
      for (const use of newest) {
        if (blocks.length === MOST_FILES || left < SMALLEST_SHARE) break
        const block = blockOf(use, left / Math.min(2, MOST_FILES - blocks.length), scope)
        if (block === '') continue
        blocks.push(block)
        left -= scope.estimate(`${block}\n\n`)
      }
      return blocks.length === 0 ? '' : [CONTENTS_HEADING, ...blocks].join('\n')
    },
  }
}

function blockOf(use: FileUse, budget: number, scope: BriefingScope): string {
  const text = fileTextOf(use, scope)
  if (text === undefined) return ''
  const heading = `### ${use.path}\n`
  const body = windowsAround(text, budget - scope.estimate(heading), scope.estimate)
  return body === '' ? '' : `${heading}${body}`
}
