import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { type BedrockRequest, bedrockConverse } from './index.ts'

const FOLDER = join(import.meta.dirname, '../../../../../../shared/corpus/bedrock-converse')

// Real recorded requests lie beside the repository on some machines only.
describe.skipIf(!existsSync(FOLDER))('recorded requests (skipped where the corpus is absent)', () => {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.json')) : []

  it.each(files)('%s is recognised, accepted and given back as it was', (file) => {
    const request = deepFreeze(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as BedrockRequest)
    expect(bedrockConverse.recognises(request)).toBe(1)
    const view = bedrockConverse.open(request)
    expect(bedrockConverse.check(view)).toEqual([])
    expect(bedrockConverse.close(request, view)).toBe(request)
    expect(view.items.flatMap((item) => bedrockConverse.view(item).parts).length).toBeGreaterThan(0)
  })
})
