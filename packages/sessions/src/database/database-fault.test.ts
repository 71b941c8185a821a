import { describe, expect, it } from 'vitest'
import { databaseFault } from './database-fault.ts'

const sqlite = (code: string, message = '') => Object.assign(new Error(message), { code })
const node = (errcode: number, message = '') => Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })

describe('why a database refused', () => {
  it.each([
    ['a locked file', sqlite('SQLITE_BUSY_SNAPSHOT'), /locked/],
    ['a locked file, by number', node(517), /locked/],
    ['a full disk', sqlite('SQLITE_FULL'), /disk is full/],
    ['a full disk, by number', node(13), /disk is full/],
    ['a file to read alone', sqlite('SQLITE_READONLY_DIRECTORY'), /may not be written/],
    ['a damaged page', node(11), /damaged/],
    ['tables that are not there', sqlite('SQLITE_ERROR', 'no such table: sessions'), /another version/],
    ['tables that are not there, by number', node(1, 'no such column: messages'), /another version/],
    ['a folder of others', sqlite('EACCES'), /may not be written/],
    ['no server, at any of its addresses', new AggregateError([sqlite('ECONNREFUSED')]), /connection/],
    ['a connection that ended', new Error('Connection terminated unexpectedly'), /connection/],
    ['a server that stops', sqlite('57P01'), /connection/],
    ['a server without room for more', sqlite('53300'), /no more connections/],
    ['a server whose disk is full', sqlite('53100'), /disk is full/],
    ['a statement that took too long', sqlite('57014'), /too long/],
    ['a standby', sqlite('25006'), /takes no writes/],
    ['a wrong password', sqlite('28P01'), /does not let this user/],
  ])('%s', (_name, error, said) => {
    expect(databaseFault(error)?.what).toMatch(said)
  })

  it.each([
    ['a fault of a statement', sqlite('SQLITE_ERROR', 'near "selec": syntax error')],
    ['a rule of a table', sqlite('23505')],
    ['no error at all', undefined],
  ])('%s is not explained', (_name, error) => {
    expect(databaseFault(error)).toBeUndefined()
  })
})
