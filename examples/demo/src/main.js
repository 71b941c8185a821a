import { readFileSync } from 'node:fs'
import { readJournal } from './read-journal.js'
import { report } from './report.js'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node src/main.js JOURNAL.csv')
  process.exitCode = 2
} else {
  console.log(report(readJournal(readFileSync(file, 'utf8'))))
}
