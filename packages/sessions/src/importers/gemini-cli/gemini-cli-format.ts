import { join } from 'node:path'
import type { ClientFormat } from '../client-format.ts'
import { type Fields, isFields, listOf } from '../json-fields.ts'
import { isMessageRecord } from './gemini-cli-message.ts'
import { GeminiCliReader } from './gemini-cli-reader.ts'

/** Chats of Gemini CLI: logs of lines, and the one document that older versions wrote. */
export const geminiCliFormat: ClientFormat = {
  name: 'gemini-cli',
  client: 'Gemini CLI',
  isLine: (record) => isHeader(record) || isOperation(record) || isTimedMessage(record),
  isDocument: (value) => isFields(value) && Array.isArray(value.messages) && (isHeader(value) || isChat(value)),
  isPiece: isTimedMessage,
  reader: (skipped) => new GeminiCliReader(skipped),
  places: (home, environment) => [
    {
      folder: join(environment.GEMINI_CLI_HOME || home, '.gemini', 'tmp'),
      depth: 2,
      // Chats of subagents lie one folder deeper.
      isSession: (name) => /^session-.*\.jsonl?$/.test(name),
    },
  ],
}

function isHeader(record: Fields): boolean {
  return typeof record.sessionId === 'string' && typeof record.projectHash === 'string'
}

/** Logs of other programs have ids, types and contents too; that all three and a time are of these kinds is rare. */
function isTimedMessage(record: Fields): boolean {
  return isMessageRecord(record) && typeof record.timestamp === 'string'
}

function isOperation(record: Fields): boolean {
  return isFields(record.$set) || typeof record.$rewindTo === 'string'
}

/** Either name of a chat is enough where messages of one are in it. */
function isChat({ sessionId, projectHash, messages }: Fields): boolean {
  const isNamed = typeof sessionId === 'string' || typeof projectHash === 'string'
  return isNamed && listOf(messages).some(isMessageRecord)
}
