import type { Dialect } from '../dialects/dialect.ts'
import { utf8Bytes } from '../engine/json/json-bytes.ts'

/** Share of a format's byte limit above which a request counts as too large: its envelope takes room too. */
const BYTES_SHARE = 0.95
/** Where a compaction for the sake of bytes ends, as a share of the limit. */
const BYTES_TARGET = 0.6

/** How large a view is in bytes, and whether its format takes that. */
export interface RequestBytes {
  readonly bytes: number
  readonly tooMany: boolean
  /** Where there are too many: what share of the view may stay. */
  readonly share: number
}

/** Bytes of the items, told from their texts and media without writing them; formats without a limit are not measured. */
export function requestBytes<Item extends object>(
  dialect: Pick<Dialect<unknown, Item>, 'maxBytes' | 'view'>,
  items: readonly Item[],
  maxBytes = dialect.maxBytes,
): RequestBytes {
  if (maxBytes === undefined) return { bytes: 0, share: 1, tooMany: false }
  let bytes = 0
  for (const item of items) {
    for (const part of dialect.view(item).parts) {
      bytes += utf8Bytes(part.text()) + (part.media ?? []).reduce((sum, media) => sum + media.bytes, 0)
    }
  }
  return { bytes, share: (maxBytes * BYTES_TARGET) / Math.max(1, bytes), tooMany: bytes > maxBytes * BYTES_SHARE }
}

/**
 * Where a compaction must end in tokens, so that bytes are within their limit too. The two shrink together: as much less of
 * the one as there must be of the other.
 */
export function targetOfBoth(target: number, tokens: number, { tooMany, share }: RequestBytes): number {
  return tooMany ? Math.min(target, Math.floor(tokens * share)) : target
}
