/** Whole cents of an amount in euros: `8.29` is 829. */
export function parseAmount(text) {
  if (!/^-?\d+(\.\d{1,2})?$/.test(text)) throw new Error(`"${text}" is no amount: 12 or 12.50`)
  return Math.trunc(Number(text) * 100)
}

/** An amount in euros, for people: 829 is `8.29`. */
export function formatAmount(cents) {
  const sign = cents < 0 ? '-' : ''
  const whole = Math.trunc(Math.abs(cents) / 100)
  const rest = String(Math.abs(cents) % 100).padStart(2, '0')
  return `${sign}${whole}.${rest}`
}
