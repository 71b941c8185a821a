// Runs every command that the pages of docs/learning show, once, and writes what they print now into each of them:
// `node scripts/run-learning-commands.mjs`. Nothing else of the pages changes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFreshOutput } from './documents/console-session.mjs'
import { fencesOf, withFences } from './documents/markdown.mjs'
import { prepare, root } from './prepare.mjs'

const pageOf = (name) => join(root, 'docs/learning', name)

if (prepare()) writePages()
else process.exitCode = 1

function writePages() {
  const english = withFreshOutput(readFileSync(pageOf('context-management.md'), 'utf8'))
  const vietnamese = readFileSync(pageOf('context-management.vi.md'), 'utf8')
  writeFileSync(pageOf('context-management.md'), english)
  writeFileSync(pageOf('context-management.vi.md'), withBlocksOf(vietnamese, english))
}

/** The translation with the console blocks of the original, one for one. */
function withBlocksOf(translation, original) {
  const shown = fencesOf(original).filter(({ info }) => info === 'console')
  const blocks = fencesOf(translation).filter(({ info }) => info === 'console')
  if (blocks.length !== shown.length) throw new Error(`${blocks.length} console blocks stand for ${shown.length}`)
  return withFences(
    translation,
    blocks.map(({ start, end }, at) => ({ start, end, text: shown[at].text })),
  )
}
