/** A whole number with commas: `1,234,567`. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** At most four characters and a unit, for axes and short lines: `950`, `12.3k`, `200k`, `1.05M`. */
export function formatShort(value: number): string {
  const size = Math.abs(value)
  if (Math.round(size) < 1_000) return String(Math.round(value))
  if (Math.round(size / 100) < 10_000) return `${threeDigits(value / 1_000)}k`
  return `${threeDigits(value / 1_000_000)}M`
}

/** Rounded down to a tenth of a thousand, so that what is below a level never reads as it: `169.6k`, `1.049M`. */
export function formatFloor(value: number): string {
  if (value < 1_000) return String(Math.floor(value))
  if (value < 1_000_000) return `${(Math.floor(value / 100) / 10).toFixed(1)}k`
  return `${(Math.floor(value / 1_000) / 1_000).toFixed(3)}M`
}

function threeDigits(value: number): string {
  const size = Math.abs(value)
  const digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0
  return String(Number(value.toFixed(digits)))
}

/** Bytes in decimal units: `812 B`, `14.2 kB`, `1.3 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 999_500) return `${threeDigits(bytes / 1_000)} kB`
  return `${threeDigits(bytes / 1_000_000)} MB`
}

/** A share of one in whole percent: `85%`; a small one that is not nothing is `<1%`. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.005) return '<1%'
  return `${Math.round(share * 100)}%`
}

/** `1 step`, `2 steps`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
