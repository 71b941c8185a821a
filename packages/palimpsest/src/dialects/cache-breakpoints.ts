/** Where cache breakpoints go: on the last stable system block, and on the item that holds the summary. */
export interface CacheBreakpoints {
  /**
   * Is the leading system marked? `stable`: as many of its messages or blocks stay the same from request to request; the mark
   * stands on the last of them, and what may change stands behind it. `true`: all of them.
   */
  readonly system: boolean | { readonly stable: number }
  /** Index in `items` of the item to mark; undefined: none. */
  readonly item?: number
}

/** How many of the leading system messages stand before the mark, the marked one included; 0: none is marked. */
export function stableCount(system: readonly unknown[], asked: CacheBreakpoints['system']): number {
  if (typeof asked === 'boolean') return asked ? system.length : 0
  return Math.min(Math.max(0, asked.stable), system.length)
}
