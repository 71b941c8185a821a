// What a check of every request costs. `node examples/learning/validator.mjs REQUEST.json`, a body of Anthropic Messages:
// `palimpsest compact --window 1M examples/sessions/ledger-service.jsonl > request.json` writes one. Times are of this machine.
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { anthropicMessages } from 'palimpsest'

const body = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const conversation = anthropicMessages.open(body)
const times = Array.from({ length: 200 }, () => {
  const start = performance.now()
  anthropicMessages.check(conversation)
  return performance.now() - start
})
const middle = times.toSorted((a, b) => a - b)[100]
console.log(`${body.messages.length} messages checked in ${middle.toFixed(2)} ms`)
