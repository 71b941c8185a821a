import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { givenSecret, namespaceSecret } from './namespace-secret.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-secret-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the environment’s comes first, and makes no file', async () => {
  expect(await namespaceSecret(join(folder, 'secret'), { PALIMPSEST_SECRET: 'given' })).toBe('given')
  expect(readdirSync(folder)).toEqual([])
})

test('many processes that start together take one and the same, which only their user can read', async () => {
  const store = join(folder, 'store')
  const secrets = await Promise.all(Array.from({ length: 20 }, () => namespaceSecret(join(store, 'secret'), {})))
  expect(new Set(secrets).size).toBe(1)
  expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(readdirSync(store)).toEqual(['secret'])
  if (process.platform !== 'win32') expect(statSync(join(store, 'secret')).mode & 0o077).toBe(0)
})

test('without a file each process has its own', async () => {
  expect(await namespaceSecret(undefined, {})).not.toBe(await namespaceSecret(undefined, {}))
})

test('an empty variable names none', () => {
  expect(givenSecret({ PALIMPSEST_SECRET: '' })).toBeUndefined()
})

test('an empty file is said, not taken', async () => {
  writeFileSync(join(folder, 'secret'), '\n')
  await expect(namespaceSecret(join(folder, 'secret'), {})).rejects.toThrow('cannot be read or made: it is empty')
})
