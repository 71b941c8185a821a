import { join } from 'node:path'
import type { ClientFormat } from '../client-format.ts'
import { type Fields, isFields } from '../json-fields.ts'
import { opencodeDatabase } from './opencode-database.ts'
import { OpencodeReader } from './opencode-reader.ts'
import { isMessageWithParts, isSessionInfo } from './opencode-record.ts'
import { opencodeStorage } from './opencode-storage.ts'

/** Sessions of opencode: what it exports, its database, and the folder of JSON files that older versions kept. */
export const opencodeFormat: ClientFormat = {
  name: 'opencode',
  client: 'opencode',
  isDocument: (value) => isExport(value) || isMainSession(value) || isMessageList(value),
  isPiece: (record) => isMessageWithParts(record) || isSessionInfo(record),
  reader: (skipped) => new OpencodeReader(skipped),
  places: (home, environment) => {
    const folder = join(environment.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode')
    return [
      { folder, depth: 0, isSession: (name) => /^opencode.*\.db$/.test(name) },
      { folder: join(folder, 'storage', 'session'), depth: 1, isSession: (name) => name.endsWith('.json') },
    ]
  },
  stored: async (path, options) => (await opencodeDatabase(path, options)) ?? (await opencodeStorage(path, options)),
}

function isExport(value: unknown): value is Fields {
  return isFields(value) && isFields(value.info) && Array.isArray(value.messages) && isKnown(value.messages, value.info)
}

/** An export without messages is known by what it says of the session. */
function isKnown(messages: readonly unknown[], info: Fields): boolean {
  return messages.length === 0 ? isSessionInfo(info) : messages.some(isMessageWithParts)
}

/** The file of a session in the folder of older versions, which is read with the files of its messages. */
function isMainSession(value: unknown): boolean {
  return isSessionInfo(value) && value.parentID === undefined
}

function isMessageList(value: unknown): boolean {
  return Array.isArray(value) && value.some(isMessageWithParts)
}
