import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../deep-freeze.test-data.ts'
import type { GeneratePrompt } from '../engine/summary/text-generation.ts'
import type { Dialect } from './dialect.ts'
import type { TextCall } from './text-call.ts'

/** A word that stands in every field of a caller's request that must not reach another call. */
export const PRIVATE = 'not-for-the-summariser'

interface LawOptions<Request> {
  readonly like: Request
  /** Does the format have an output cap? */
  readonly capped?: boolean
  /** The dialect that takes the request for its own, where it is another. */
  readonly recognisedBy?: Dialect<Request, object>
}

/** What every text call promises. `like` is a request with history, tools, thinking and edits, full of `PRIVATE`. */
export function textCallLaws<Request extends object>(
  dialect: Dialect<Request, object>,
  textCall: TextCall<Request>,
  { like, capped = true, recognisedBy = dialect }: LawOptions<Request>,
): void {
  describe(`${dialect.name}: a call for one text`, () => {
    it('is a legal request with one system text, one message, its cap and nothing of the conversation', () => {
      fc.assert(
        fc.property(anyPrompt, (prompt) => {
          const request = textCall.request(prompt, deepFreeze(like))
          const conversation = dialect.open(request)
          expect(dialect.check(conversation)).toEqual([])
          expect(JSON.stringify(request)).not.toContain(PRIVATE)
          expect(conversation.system).toHaveLength(1)
          expect(JSON.stringify(conversation.system)).toContain(JSON.stringify(prompt.system))
          const views = conversation.items.map((item) => dialect.view(item))
          expect(views.map(({ role, parts }) => [role, parts.map((part) => part.text())])).toEqual([
            ['user', [prompt.user]],
          ])
          expect(conversation.tools ?? []).toEqual([])
          expect(conversation.thinkingBudget).toBeUndefined()
          expect(conversation.serverEdits ?? conversation.historyOnServer ?? false).toBe(false)
          expect(conversation.outputCap).toBe(capped ? prompt.maxOutputTokens : undefined)
        }),
        { numRuns: 50 },
      )
    })

    it('is the same for the same prompt, and needs nothing of the caller', () => {
      const [prompt] = fc.sample(anyPrompt, { numRuns: 1, seed: 3 })
      if (prompt === undefined) throw new Error('no prompt')
      const wire = JSON.stringify(textCall.request(prompt, like))
      expect(JSON.stringify(textCall.request(prompt, structuredClone(like)))).toBe(wire)
      expect(recognisedBy.recognises(JSON.parse(wire))).toBeGreaterThan(0)
      expect(() => textCall.request(prompt, {} as Request)).not.toThrow()
    })

    it('reads any answer without a fault', () => {
      const shaped = fc.record(
        Object.fromEntries(
          ['content', 'choices', 'output', 'candidates', 'response', 'usage', 'message', 'finishReason'].map((key) => [
            key,
            fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())),
          ]),
        ),
        { requiredKeys: [] },
      )
      fc.assert(
        fc.property(fc.oneof(fc.jsonValue(), shaped, fc.constant(undefined)), (response) => {
          const { text, finish } = textCall.read(response)
          expect(typeof text).toBe('string')
          expect(['stop', 'length', 'refusal', 'tool-call', 'other']).toContain(finish)
        }),
        { numRuns: 500 },
      )
      expect(textCall.read(undefined)).toEqual({ text: '', finish: 'other' })
    })
  })
}

const anyPrompt: fc.Arbitrary<GeneratePrompt> = fc.record(
  {
    system: fc.constantFrom('Write a handover.', 'Ω "quoted" \\ $&'),
    user: fc.string({ minLength: 1, maxLength: 60 }).map((text) => `<transcript 0f>${text}</transcript 0f>`),
    maxOutputTokens: fc.integer({ min: 1, max: 64_000 }),
    model: fc.constantFrom('small-model', 'gpt-5-mini'),
    session: fc.uuid(),
  },
  { requiredKeys: ['system', 'user', 'maxOutputTokens'] },
)
