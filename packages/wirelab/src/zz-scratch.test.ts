import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'vitest'
import { gemini, openaiResponses, bedrockConverse, openaiCodex } from 'palimpsest'
import { geminiFormat } from './formats/gemini/index.ts'
import { openaiResponsesFormat, openaiCodexFormat } from './formats/openai-responses/index.ts'
import { bedrockConverseFormat } from './formats/bedrock-converse/index.ts'
import * as g from '../../palimpsest/src/dialects/gemini/arbitrary-request.test-data.ts'
import * as r from '../../palimpsest/src/dialects/openai-responses/arbitrary-request.test-data.ts'
import * as b from '../../palimpsest/src/dialects/bedrock-converse/arbitrary-request.test-data.ts'
const RULES = { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true } as const
const root = '/work/shared/corpus'
for (const [dir, format] of [['bedrock-converse', bedrockConverseFormat], ['gemini-api', geminiFormat], ['openai-responses', openaiResponsesFormat]] as const) {
  test(dir, () => {
    for (const name of readdirSync(`${root}/${dir}`)) {
      const text = readFileSync(`${root}/${dir}/${name}`, 'utf8')
      let n = 0
      for (const line of name.endsWith('.jsonl') ? text.split('\n').filter(Boolean) : [text]) {
        const j = JSON.parse(line)
        const body = j.request?.body ?? j.request ?? j.body ?? j
        if (n++ < 1) console.log(dir, name, Object.keys(j).join(), '|', Object.keys(body).join())
        const v = format.validate(body, RULES, { kind: 'generate', stream: false, model: j.model ?? '' })
        if (v) console.log(name, n, v.rule, v.message.slice(0, 200))
      }
    }
  })
}
const count: Record<string, number> = {}
for (const [name, dialect, format, arb] of [
  ['gemini', gemini, geminiFormat, g.arbitraryRequest],
  ['responses', openaiResponses, openaiResponsesFormat, r.arbitraryRequest],
  ['codex', openaiCodex, openaiCodexFormat, r.arbitraryCodexRequest],
  ['referring', openaiResponses, openaiResponsesFormat, r.arbitraryReferringRequest],
  ['bedrock', bedrockConverse, bedrockConverseFormat, b.arbitraryRequest],
] as const) {
  test(`cross ${name}`, () => {
    const seen: Record<string, [number, string]> = {}
    for (const request of fc.sample(arb as fc.Arbitrary<object>, 600)) {
      const mine = format.validate(request, RULES, { kind: 'generate', stream: false, model: 'claude gemini-2.5' })
      const theirs = (dialect as any).check((dialect as any).open(request)) as { rule: string; message: string }[]
      const key = `mine=${mine?.rule ?? 'ok'} theirs=${theirs.map((t) => t.rule).sort().filter((x, i, a) => a.indexOf(x) === i).join(',') || 'ok'}`
      const old = seen[key]
      const json = JSON.stringify(request)
      seen[key] = [(old?.[0] ?? 0) + 1, old && old[1].length < json.length ? old[1] : json + ' :: ' + (mine?.message ?? '')]
    }
    for (const [k, [n, ex]] of Object.entries(seen)) console.log(name, k, n, (k.includes('mine=ok theirs=ok') || (!k.includes('mine=ok') && !k.includes('theirs=ok'))) ? '' : ex.slice(0, 900))
  })
}
