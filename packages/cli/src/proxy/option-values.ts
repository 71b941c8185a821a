import { InvalidArgumentError } from 'commander'

/** A TCP port; 0 is a free one. */
export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new InvalidArgumentError('It wants a port: 0 (a free one) to 65535.')
  return port
}

/** Megabytes above zero: `64`, `0.5`. */
export function megabytes(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0
  if (!(value > 0)) throw new InvalidArgumentError('It wants a number of megabytes above zero: 64.')
  return value
}
