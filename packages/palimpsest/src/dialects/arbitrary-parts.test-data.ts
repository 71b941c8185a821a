import fc from 'fast-check'

/** Stands for a value that JSON parsers change: laws about bytes write `EXACT_TEXT` in its place. */
export const EXACT = '@exact@'

/** JSON that no parser gives back as it was: digits beyond 2^53, and a whole number with a fraction. */
export const EXACT_TEXT = '[12345678901234567890,1.0]'

/** Words of any language with something to read in them; some are long, some look like markup. */
export const words = fc
  .oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'go on',
        'never push to main',
        'Make the build pass.',
        '資料庫的移行：schema 不要動。',
        '🧑‍🚀é漢𝔘 port must stay 8443',
        'naïve café 👩‍👩‍👧 \u202eabc',
        'ключ \u0000\u2028 "quoted" \\n',
        'مرحبا',
        'line one\nline two',
      ),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 100 }).map((times) => 'line of output\n'.repeat(times)) },
  )
  .filter((text) => text.trim() !== '')

/** What clients put into the user's messages by themselves. */
export const injectedWords = fc.constantFrom(
  '<system-reminder>\nThe file changed.\n</system-reminder>',
  '<environment_context>\n<cwd>/w</cwd>\n</environment_context>',
)

/** Any JSON: made anew at times only, for that is slow. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom<unknown>(null, -0.5, '', EXACT, [1, { a: null }], { b: { c: ['d'] }, e: true }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
)

/** What a tool is called with. A key that names a cache mark is an argument like any other. */
export const toolInput: fc.Arbitrary<object> = fc.oneof(
  fc.constant({}),
  fc.record({ path: words, inode: fc.constant(EXACT) }),
  fc.record({ command: words, timeout: fc.nat(), flags: fc.array(fc.boolean(), { maxLength: 2 }) }),
  fc.record({ content: words, cache_control: fc.constant('no mark'), cachePoint: fc.constant('no mark') }),
  fc.record({ path: words, options: anyJson }),
)

/** The same as models write it where arguments travel as text. */
export const toolInputText = toolInput.map((input) => JSON.stringify(input))

/** A PNG of 1 × 1 pixels. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
export const PNG_BYTES = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0))

/** Items that a generated request has at most. */
export const MAX_ITEMS = 60

/** As many whole turns as fit into `limit` items; the first always does. */
export function wholeTurns<T>(turns: readonly (readonly T[])[], limit: number): readonly T[] {
  let room = limit
  return turns.flatMap((items, index) => {
    room -= items.length
    return room >= 0 || index === 0 ? items : []
  })
}
