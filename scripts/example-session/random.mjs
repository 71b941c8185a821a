/** Random numbers that are the same on every run: a 32-bit multiply-and-shift generator (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (from, to) => from + Math.floor(next() * (to - from + 1))
  const letters = (alphabet, length) => Array.from({ length }, () => alphabet[integer(0, alphabet.length - 1)]).join('')
  const hex = (length) => letters('0123456789abcdef', length)
  return {
    integer,
    pick: (list) => list[integer(0, list.length - 1)],
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    letters: (length) => letters('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789', length),
    base64: (length) => letters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', length),
  }
}
