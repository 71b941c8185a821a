import { memorySessions, type SessionStore } from '@palimpsest/sessions'
import { beforeAll, describe, expect, it } from 'vitest'
import { inventedEntries, storeEntries } from '../session-store/invented-session.test-data.ts'
import { sessionOfRun } from './session-of-run.ts'

let sessions: SessionStore
beforeAll(async () => {
  sessions = memorySessions().open()
  for (const [id, cwd] of [
    ['older', '/home/dev/a'],
    ['newer', '/home/dev/a'],
    ['elsewhere', '/home/dev/b'],
  ] as const)
    await storeEntries(sessions, id, inventedEntries({ started: { cwd } }))
})

const chosen = (flags: { readonly session?: string; readonly resume?: string | true }, cwd = '/home/dev/a') =>
  sessionOfRun(flags, { sessions, cwd })

describe('the session of a run', () => {
  it('is a new one where nothing is said', async () => {
    expect(await chosen({})).toEqual({})
  })

  it('--session ID is that one, new or stored', async () => {
    expect(await chosen({ session: 'fresh' })).toEqual({ session: 'fresh' })
    expect(await chosen({ session: 'older' })).toEqual({ resume: 'older' })
    expect(await chosen({ session: 'old' })).toEqual({ session: 'old' })
    await expect(chosen({ session: '' })).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('--resume is the newest of the working folder, or the one whose id begins so', async () => {
    const [newest] = await sessions.list({ cwd: '/home/dev/a', limit: 1 })
    expect(await chosen({ resume: true })).toEqual({ resume: newest?.id })
    expect(await chosen({ resume: true }, '/home/dev/b')).toEqual({ resume: 'elsewhere' })
    expect(await chosen({ resume: 'old' })).toEqual({ resume: 'older' })
  })

  it('--resume says what there is instead of what is not there', async () => {
    await expect(chosen({ resume: 'oldest' })).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('Did you mean older?'),
    })
    await expect(chosen({ resume: true }, '/nowhere')).rejects.toMatchObject({ code: 'not-found' })
  })
})
