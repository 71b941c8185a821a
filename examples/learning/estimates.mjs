// Three ways to know how many tokens a text has, beside the vocabulary of the model itself. `node examples/learning/estimates.mjs`
import { estimateText } from 'palimpsest'
import { loadExactCounter } from 'palimpsest/exact-tokens'

const TEXTS = {
  'English words': 'The agent reads a file, changes it and runs the tests. Then it reads the output and goes on. ',
  'Vietnamese words': 'Tác tử đọc một tệp, sửa nó rồi chạy kiểm thử. Sau đó nó đọc kết quả và làm tiếp. ',
  TypeScript: 'export const sum = (items: readonly number[]): number => items.reduce((a, b) => a + b, 0)\n',
  JSON: '{"id":"a7f3","status":"open","amount":129900,"currency":"VND","lines":[{"n":1,"ok":true}]}\n',
  'a log': '2026-11-30T19:57:19.214Z ERROR [ledger] posting 88123 failed: 23505 duplicate key\n',
  'hex digits': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n',
}

const family = 'o200k'
const exact = await loadExactCounter(family)
console.log('text               exact  chars/4        estimate')
for (const [name, piece] of Object.entries(TEXTS)) {
  const text = piece.repeat(100)
  const tokens = exact(text)
  const against = (count) => `${Math.round(count)} (${signed((count / tokens - 1) * 100)} %)`.padEnd(14)
  const counts = [text.length / 4, estimateText(text, { family })]
  console.log(`${name.padEnd(17)} ${String(tokens).padStart(6)}  ${counts.map(against).join(' ')}`.trimEnd())
}

function signed(percent) {
  const whole = Math.round(percent)
  return whole > 0 ? `+${whole}` : String(whole)
}
