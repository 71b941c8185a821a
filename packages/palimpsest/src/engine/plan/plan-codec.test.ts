import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryPlan } from './plan.test-data.ts'
import { decodePlan, encodePlan } from './plan-codec.ts'
import { formatPlan } from './plan-notation.ts'

describe('plan codec', () => {
  it('gives back what it was given, and the same text again', () => {
    fc.assert(
      fc.property(arbitraryPlan(9), fc.option(fc.string(), { nil: undefined }), (plan, strategy) => {
        const named = strategy === undefined ? plan : { ...plan, strategy }
        const json = encodePlan(named)
        expect(decodePlan(json)).toEqual(named)
        expect(encodePlan(decodePlan(json))).toBe(json)
      }),
      { numRuns: 1000 },
    )
  })

  it('omits empty fields', () => {
    expect(encodePlan({ drop: [], summaries: [], removals: [{ message_index: 1, part: 0 }] })).toBe(
      '{"removals":[{"message_index":1,"part":0}]}',
    )
  })

  it('keeps an offload without a part as it is', () => {
    const json = '{"offloads":[{"message_index":3,"artifact_key":"k","threshold":4096}]}'
    expect(encodePlan(decodePlan(json))).toBe(json)
  })

  it.each([
    ['{"drop":[{"from":4,"to":2}]}', '/drop/0/to'],
    ['{"drop":[{"from":-1,"to":2}]}', '/drop/0/from'],
    ['{"drop":{}}', '/drop'],
    ['{"summaries":[{"insert_after":-2,"content":""}]}', '/summaries/0/insert_after'],
    ['{"truncations":[{"message_index":1,"part":0,"kept_head":1.5,"kept_tail":0,"of":3}]}', '/truncations/0/kept_head'],
    ['{"placeholders":[{"message_index":1,"part":0,"kind":"video"}]}', '/placeholders/0/kind'],
    ['{"offloads":[{"message_index":1,"part":null}]}', '/offloads/0/part'],
    ['{"removals":[{"message_index":1,"part":0,"extra":1}]}', '/removals/0/extra'],
    ['{"drops":[]}', '/drops'],
    ['[]', 'the value'],
    ['{"drop":[', 'not JSON'],
  ])('says where %s is wrong', (json, where) => {
    expect(() => decodePlan(json)).toThrow(where)
  })
})

describe('plan notation', () => {
  it('names every edit in a word', () => {
    const line = formatPlan({
      drop: [
        { from: 0, to: 4 },
        { from: 6, to: 7 },
      ],
      summaries: [{ insert_after: 3, content: 'x'.repeat(120) }],
      offloads: [{ message_index: 5, part: 0, artifact_key: 'k' }, { message_index: 8 }],
      truncations: [{ message_index: 7, part: 1, kept_head: 200, kept_tail: 100, of: 9000 }],
      removals: [{ message_index: 9, part: 0 }],
      placeholders: [{ message_index: 9, part: 1, kind: 'image' }],
    })
    expect(line).toBe(
      'drop 0-3 | drop 6 | summary 3 (120 ch) | offload 5.0 | offload 8.* | truncate 7.1 200+100/9000 | remove 9.0 | image 9.1',
    )
    expect(formatPlan({})).toBe('nothing')
  })
})
