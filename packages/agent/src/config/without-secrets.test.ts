import { describe, expect, it } from 'vitest'
import { withoutSecrets } from './without-secrets.ts'

describe('a text for people', () => {
  it.each([
    ['postgres://me:pass@db.example/x', 'postgres://…@db.example/x'],
    ['postgres://me:p/a@s@db.example/x', 'postgres://…@db.example/x'],
    ['https://key-of-mine@gateway.example/v1', 'https://…@gateway.example/v1'],
    ['postgres://db/x?user=me&password=pass&sslmode=on', 'postgres://db/x?user=me&password=…&sslmode=on'],
    ['https://h/v1?api_key=abc', 'https://h/v1?api_key=…'],
    ['{"a":"https://k@one/x","b":"https://two/y"}', '{"a":"https://…@one/x","b":"https://two/y"}'],
    ['https://gateway.example/v1', 'https://gateway.example/v1'],
    ['anthropic:claude-sonnet-5', 'anthropic:claude-sonnet-5'],
    ['/home/me/sessions.db', '/home/me/sessions.db'],
  ])('%s', (text, safe) => {
    expect(withoutSecrets(text)).toBe(safe)
    expect(withoutSecrets(safe)).toBe(safe)
  })

  it('holds no key of a known service', () => {
    expect(withoutSecrets('sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789')).not.toContain('abcdef')
  })
})
