import fc from 'fast-check'

/** Bits of text that meet the estimator's rules, alone and next to one another. */
const PIECES = [
  ...[
    'a',
    'the',
    'word',
    'function',
    'internationalisation',
    'A',
    'I',
    'XY',
    'HTTP',
    'HTMLElement',
    'getById',
    'ABCDe',
  ],
  ...[
    'A'.repeat(15),
    'B'.repeat(16),
    'C'.repeat(17),
    `${'D'.repeat(16)}e`,
    `${'E'.repeat(40)}f`,
    'QZQZQZQZQZQZQZQZQZx',
  ],
  ...['é', 'É', 'café', 'naïve', 'e\u0301', '\u0301', 'Việt', 'Straße', 'ABCÉd', `${'G'.repeat(20)}é`, '\u00E9\u00E9x'],
  ...[' ', '  ', '   ', ' '.repeat(15), ' '.repeat(16), ' '.repeat(17), ' '.repeat(33)],
  ...[
    '.',
    ',',
    '"',
    '":',
    '",',
    '();',
    '==',
    '='.repeat(9),
    '='.repeat(10),
    '-'.repeat(40),
    '/-/-/-/-/-',
    '=-=-==---==',
  ],
  ...['0', '12', '123', '1234', '7'.repeat(16), '7'.repeat(17), '8'.repeat(63), '8'.repeat(64), '9'.repeat(90)],
  ...['\n', '\r\n', '\n\n', '\n\n\n', '\n'.repeat(8), '\n'.repeat(9), '\n'.repeat(17), '\n'.repeat(33)],
  ...['\t', '\t\t', '\t'.repeat(13), '\t'.repeat(14), '\t'.repeat(15), '\t'.repeat(33)],
  ...[
    '日本',
    'テスト',
    'ああ',
    '한국',
    '，。',
    'привет',
    'שלום',
    'مرحبا',
    'नमस्ते',
    'বাংলা',
    'ไทย',
    'ລາວ',
    'ខ្មែរ',
    'မြန်',
    'አማ',
    'ქა',
  ],
  ...['──', '█', '→→', '…', '\u00A0', '\u200D', '\uFE0F', '\0', '\x07\x07', '\x7F', 'Ꭰ', '\uFEFF', 'αβγ', '\uFFFF'],
  ...['😀', '👩‍🚀', '\uD83D', '\uDE00', '\uD83Da', '\uD83D ', '\uD83D\uD83D'],
]

/** Texts made of those pieces and of any other code units. */
export function anyText(maxPieces = 30): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) },
    { weight: 1, arbitrary: fc.integer({ min: 0x20, max: 0x7e }).map((unit) => String.fromCharCode(unit)) },
  )
  return fc.array(piece, { maxLength: maxPieces }).map((pieces) => pieces.join(''))
}
