/** The output cap of a view where it is below the one that its request asks for: a cap is lowered, never raised or added. */
export function loweredCap(requested: unknown, cap: number | undefined): number | undefined {
  return typeof requested === 'number' && cap !== undefined && cap < requested ? cap : undefined
}
