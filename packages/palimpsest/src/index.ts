export type * from './dialects/dialect.ts'
export * from './engine/errors.ts'
export type * from './engine/messages/message.ts'
