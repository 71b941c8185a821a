/**
 * SHA-256 of the UTF-8 of a text, in hexadecimal. Here because the engine must run synchronously in browsers too, where
 * only an asynchronous digest exists. FIPS 180-4.
 */
export function sha256(text: string): string {
  const bytes = padded(encoder.encode(text))
  const state = Int32Array.from(INITIAL)
  const schedule = new Int32Array(64)
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0, j = at; i < 16; i++, j += 4) {
      schedule[i] = (byte(bytes, j) << 24) | (byte(bytes, j + 1) << 16) | (byte(bytes, j + 2) << 8) | byte(bytes, j + 3)
    }
    extend(schedule)
    compress(state, schedule)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

declare const TextEncoder: { new (): { encode(text: string): Uint8Array } }

const encoder = new TextEncoder()

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

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] as number
}

function extend(w: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15] as number
    const b = w[i - 2] as number
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3)
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10)
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0
  }
}

/** One block. Plain variables and inlined rotations: this loop is all of the cost. */
function compress(state: Int32Array, w: Int32Array): void {
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (w[i] as number)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}

/** The first 32 bits of the fractional part of a root of a prime: what the standard's constants are. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 0x1_0000_0000) | 0
}

const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !hasDivisor(n))
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUND = Int32Array.from(PRIMES.slice(0, 64), (prime) => fraction(Math.cbrt(prime)))

function hasDivisor(n: number): boolean {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return true
  return false
}
