/**
 * SHA-256 of the UTF-8 of a text, in hexadecimal. Here because the engine must run synchronously in browsers too, where
 * only an asynchronous digest exists. FIPS 180-4.
 */
export function sha256(text: string): string {
  const bytes = padded(new TextEncoder().encode(text))
  const state = Uint32Array.from(INITIAL)
  const schedule = new Uint32Array(64)
  const view = new DataView(bytes.buffer)
  for (let block = 0; block < bytes.length; block += 64) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(block + i * 4)
    extend(schedule)
    compress(state, schedule)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

declare const TextEncoder: { new (): { encode(text: string): Uint8Array } }

/** The message, a one bit, zeros, and its length in bits, to a multiple of 64 bytes. */
function padded(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(message.length / 0x2000_0000))
  view.setUint32(bytes.length - 4, (message.length << 3) >>> 0)
  return bytes
}

function extend(w: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15] as number
    const b = w[i - 2] as number
    const s0 = (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) >>> 0
    const s1 = (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)) >>> 0
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) >>> 0
  }
}

function compress(state: Uint32Array, w: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (w[i] as number)) >>> 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0
    h = g
    g = f
    f = e
    e = (d + t1) >>> 0
    d = c
    c = b
    b = a
    a = (t1 + t2) >>> 0
  }
  ;[a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = ((state[i] as number) + word) >>> 0
  })
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The first 32 bits of the fractional part of a root of a prime: what the standard's constants are. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 0x1_0000_0000) >>> 0
}

const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !hasDivisor(n))
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUND = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)))

function hasDivisor(n: number): boolean {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return true
  return false
}
