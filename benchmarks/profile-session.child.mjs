// One measured run of profile-session.mjs: reads the session in its argument and profiles it, first for the time, then once
// more for the memory that is in use (garbage collected at every sample). Prints JSON.
import { readSessionFile } from '@palimpsest/sessions'
import { DEFAULT_PRESET, dialectByName, profileSession, sessionScale } from 'palimpsest'

const file = process.argv[2]
const start = performance.now()
const { compactions } = await profile(() => {})
const seconds = (performance.now() - start) / 1000

const before = inUse()
let highest = before
let sample = 0
await profile(() => {
  if (sample++ % 10 === 0) highest = Math.max(highest, inUse())
})
console.log(JSON.stringify({ seconds, heap: highest - before, compactions: compactions.length }))

async function profile(onStep) {
  const imported = await readSessionFile(file)
  onStep()
  const dialect = dialectByName(imported.dialect)
  const session = { ...imported, items: imported.items.map((one) => one.item) }
  const scale = sessionScale(dialect, session)
  return profileSession(dialect, session, { preset: DEFAULT_PRESET, window: 200_000, ...scale, onStep })
}

/** Bytes of JavaScript objects and of the buffers they hold, garbage not counted. */
function inUse() {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
