/** A session as it was recorded, in native items of one dialect: what an importer gives. */
export interface RecordedSession<Item extends object> {
  readonly items: readonly Item[]
  /** The model calls: each answered the items before `position`. Empty: they are read off the items. */
  readonly calls: readonly { readonly position: number; readonly usage?: { readonly input: number } }[]
  /** Where the client itself compacted. */
  readonly compactions?: readonly { readonly position: number }[]
  readonly model?: string
}
