/** The tools that the model gets. Pointers name the reading one, so none may be given under another name. */
export const TOOL_NAMES = {
  compact: 'compact_conversation',
  read: 'read_history',
  search: 'search_history',
} as const
