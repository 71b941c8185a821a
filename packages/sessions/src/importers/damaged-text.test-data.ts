import fc from 'fast-check'

/** What can happen to one line of a log. */
export const lineDamage = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('torn', 'garbage', 'empty', 'torn and glued'),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
})

/** A log of these records in which one line is damaged, and the records that are left. */
export function damagedLog<Record>(
  records: readonly Record[],
  { at, kind, cut }: { readonly at: number; readonly kind: string; readonly cut: number },
): { readonly text: string; readonly left: readonly Record[] } {
  const broken = at % records.length
  const lines = records.map((record, place) => {
    const line = JSON.stringify(record)
    if (place !== broken) return `${line}\n`
    const torn = line.slice(0, Math.floor(cut * (line.length - 1)))
    if (kind === 'torn') return `${torn}\n`
    if (kind === 'torn and glued') return torn
    return kind === 'empty' ? '\n' : '\u0000\u0001 no JSON }{\n'
  })
  return { text: lines.join(''), left: records.filter((_, place) => place !== broken) }
}

/** What can happen to one place of a document: characters are lost, or others come in. */
export const documentDamage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  lost: fc.nat({ max: 40 }),
  put: fc.constantFrom('', '"', '}', ']', '{', '\\', '\u0000', '}]}'),
})

/** The document of which a piece is damaged, and the names of the pieces that are whole. `pieces` stand in the text as they are. */
export function damagedDocument(
  text: string,
  pieces: ReadonlyMap<string, string>,
  { at, lost, put }: { readonly at: number; readonly lost: number; readonly put: string },
): { readonly text: string; readonly whole: readonly string[] } {
  const from = Math.floor(at * text.length)
  const damaged = text.slice(0, from) + put + text.slice(from + lost)
  const whole = [...pieces].filter(([, piece]) => {
    const start = text.indexOf(piece)
    return start >= from + lost || start + piece.length <= from
  })
  return { text: damaged, whole: whole.map(([name]) => name) }
}
