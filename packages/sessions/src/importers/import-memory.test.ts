import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { answerLine, call, resultLine, userLine } from './claude-code/claude-session.test-data.ts'
import { importSession } from './import-session.ts'

const FILE_BYTES = 4_000_000
/** The file repeats each result in a field for the client's own display: what is kept is less than the file. */
const ALLOWED = 2

test('a session of 4 MB is read in little more memory than its items need', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    return heapUsed + external + arrayBuffers
  }
  const before = used()
  let most = 0
  let chunks = 0
  const session = await importSession(longSession(), {
    onProgress: () => {
      chunks += 1
      if (chunks % 50 === 0) most = Math.max(most, used() - before)
    },
  })
  most = Math.max(most, used() - before)
  expect(session.bytes).toBeGreaterThan(FILE_BYTES)
  expect(session.items.length).toBeGreaterThan(1_000)
  expect(most).toBeLessThan(ALLOWED * session.bytes)
})

/** Written as it is read, so that the text itself is never in memory as a whole. */
async function* longSession(): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let written = 0
  let parent: string | null = null
  for (let step = 0; written < FILE_BYTES; step++) {
    const output = `${step} `.repeat(500)
    const block = [{ type: 'tool_result', tool_use_id: `t${step}`, content: output }]
    const lines = [
      userLine(`u${step}`, parent, `step ${step}`),
      answerLine(`a${step}`, `u${step}`, `m${step}`, call(`t${step}`)),
      resultLine(`r${step}`, `a${step}`, `t${step}`, {
        message: { role: 'user', content: block },
        toolUseResult: { stdout: output },
      }),
    ]
    const bytes = encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    written += bytes.length
    parent = `r${step}`
    yield bytes
  }
}
