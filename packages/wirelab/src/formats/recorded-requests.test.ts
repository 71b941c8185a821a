import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LabRules } from '../format.ts'
import { bedrockConverseFormat } from './bedrock-converse/index.ts'
import { geminiFormat } from './gemini/index.ts'
import { openaiResponsesFormat } from './openai-responses/index.ts'

const CORPUS = join(import.meta.dirname, '../../../../../shared/corpus')
const RULES: LabRules = { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true }

/** What a provider took when it was recorded, with the rule that another server does not have. */
const FOLDERS = [
  { folder: 'bedrock-converse', format: bedrockConverseFormat, model: 'anthropic.claude' },
  { folder: 'gemini-api', format: geminiFormat, model: 'gemini-3-pro' },
  { folder: 'openai-responses', format: openaiResponsesFormat, model: 'gpt-5', foreign: /deepseek/ },
] as const

// Recorded sessions are not part of the repository: where the folder is absent, these are skipped.
test.skipIf(!existsSync(CORPUS)).for(FOLDERS)('recorded requests pass: $folder', ({ folder, format, ...by }) => {
  const broken = requestsIn(folder).map(([name, body]) => {
    const breach = format.validate(body, RULES, { kind: 'generate', stream: false, model: by.model })
    // Other servers that speak Responses give ids of their own kind.
    const excused = 'foreign' in by && by.foreign.test(name) && breach?.rule === 'item-id'
    return excused ? undefined : breach && `${name}: ${breach.message}`
  })
  expect(broken.length).toBeGreaterThan(0)
  expect(broken.filter((one) => one !== undefined)).toEqual([])
})

function requestsIn(folder: string): readonly (readonly [string, unknown])[] {
  const names = readdirSync(join(CORPUS, folder)).filter((name) => name.endsWith('.json'))
  return names.map((name) => [name, JSON.parse(readFileSync(join(CORPUS, folder, name), 'utf8'))])
}
