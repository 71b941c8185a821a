/** The tools that the model gets. Pointers name the reading one, so none may be given under another name. */
export const TOOL_NAMES = {
  compact: 'compact_conversation',
  read: 'read_history',
  search: 'search_history',
} as const

/** What the model reads when it asked for a compaction and gets one; the next call finds its wish by this answer. */
export const COMPACTION_FOLLOWS = 'The conversation is compacted before your next step.'
