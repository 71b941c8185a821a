import { setTimeout as sleep } from 'node:timers/promises'
import type { LabCall, Reply, ReplyPart, WirelabOptions } from '@palimpsest/wirelab'
import { demoCallId, demoPlace } from './demo-place.ts'
import { demoReply } from './demo-scenes.ts'

export interface DemoOptions {
  /** Milliseconds before an answer, and before a summary. */
  readonly pace: { readonly step: number; readonly summary: number }
  /** Sets the call ids of this simulator apart from those of another one that the same session was played on before. */
  readonly mark: string
}

/**
 * A simulated model that mends a fault of the project in `examples/demo`, and afterwards tells what can be tried. What it answers
 * follows from the request alone, whatever was compacted, taken back or resumed in between.
 */
export function demoScript({ pace, mark }: DemoOptions): Pick<WirelabOptions, 'script' | 'summarizer'> {
  return {
    async script(call) {
      await sleep(pace.step)
      return replyTo(call, mark)
    },
    async summarizer() {
      await sleep(pace.summary)
      return { parts: [{ kind: 'text', text: SUMMARY }] }
    },
  }
}

function replyTo({ body, answered }: LabCall, mark: string): Reply {
  const place = demoPlace(body)
  const { thinks, says, calls = [] } = demoReply(place)
  const asked = calls.map(([name, input], at): ReplyPart => {
    return { kind: 'tool-call', id: demoCallId(place, `${mark}${answered}`, at), name, input }
  })
  return {
    parts: [
      ...(thinks === undefined ? [] : [{ kind: 'reasoning' as const, text: thinks }]),
      { kind: 'text', text: says },
      ...asked,
    ],
  }
}

const SUMMARY = `## Goal
The user says that the report of the harbour's dues is off by some cents. Find out why, mend it, and show that it is mended.

## Done so far
- Read README.md, src/money.js, src/read-journal.js, src/report.js, src/dues.js and the journal in data/journal.csv.
- Ran \`node --test\`: three tests fail, all because of amounts that lose a cent (\`8.29\` is read as 828).
- Searched for uses of parseAmount: only what is taken at the pier goes through it; dues are whole cents already.

## Cause
parseAmount in src/money.js multiplies by 100 and truncates; 8.29 * 100 is 828.9999999999999 in floating point.

## Next
1. Round instead of truncating in src/money.js.
2. Test more amounts in test/money.test.js.
3. Run \`node --test\` and \`node src/main.js data/journal.csv\` again, and tell the user.`
