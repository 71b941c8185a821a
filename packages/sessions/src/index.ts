export type * from './imported-session.ts'
