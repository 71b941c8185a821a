export { clientFile } from './exporters/client-file.ts'
export { type ExportOptions, exportSession } from './exporters/export-session.ts'
export { exportedOfImport } from './exporters/exported-of-import.ts'
export { exportedOfLog } from './exporters/exported-of-log.ts'
export * from './exporters/exported-session.ts'
export { clientNames } from './importers/client-formats.ts'
export { type FoundSession, findSessions } from './importers/find-sessions.ts'
export { type ImportOptions, importSession, importSessionText } from './importers/import-session.ts'
export type * from './importers/imported-session.ts'
export { readSessionFile } from './importers/read-session-file.ts'
export type { RequestDialect } from './importers/request/request-dialect.ts'
export { newestSessionsIn } from './importers/sessions-in-folder.ts'
export { type ChainFault, type ChainPlace, chainEntries, verifyChain } from './log/entry-chain.ts'
export {
  type FoldedSession,
  type FoldStart,
  foldEntries,
  isAbandoned,
  type MessageEntry,
} from './log/fold-session.ts'
export { INTERRUPTED, interruptedResults } from './log/interrupted-results.ts'
export { type MemorySessions, memorySessions } from './log/memory-sessions.ts'
export {
  type AddedBody,
  type Displayed,
  type NewSession,
  Session,
  type SessionOptions,
} from './log/session.ts'
export type * from './log/session-entry.ts'
export type { SessionLedger } from './log/session-ledger.ts'
export type * from './log/session-store.ts'
export { type SessionMatch, searchSession } from './stored/search-session.ts'
export { type SessionFault, type SessionToVerify, sessionFaults } from './stored/session-faults.ts'
export type { PathCompaction, SessionPath } from './stored/session-path.ts'
export { type StoredImport, type StoreImportOptions, storeImport } from './stored/store-import.ts'
export { mayBeLog, parseLog, storeLog } from './stored/store-log.ts'
export { readWholeSession, type WholeSession, wholeConversation } from './stored/whole-session.ts'
