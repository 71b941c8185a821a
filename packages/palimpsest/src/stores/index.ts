/** What stores of one's own are made of: keys, marks, names and limits as all stores have them. */
export { artifactKey, isArtifactKey, storedContent } from './artifact-key.ts'
export { freshEntries, historyText } from './history-text.ts'
export { assertLimit, FORGET_AFTER, type LimitMemory } from './learned-limits.ts'
export type { HistoryCall, SearchCall } from './ports.ts'
export { safeName } from './safe-name.ts'
export { Turns } from './turns.ts'
