import type { ResolvedConfig } from '@palimpsest/agent'
import { describe, expect, it } from 'vitest'
import { withFoundModel } from './found-model.ts'
import { openingNotes } from './opening-notes.ts'

const none: ResolvedConfig = { config: {}, sources: {}, entrySources: {} }
const KEYS = { OPENAI_API_KEY: 'any', GEMINI_API_KEY: 'any' }

describe('where no model is named', () => {
  it('it is one for which there is a key, and that is told', async () => {
    const found = await withFoundModel(none, { env: KEYS, home: '/nowhere' })
    expect(found.config.model).toMatch(/^openai:gpt/)
    expect(openingNotes(found, {})).toEqual([
      `No model is named: it is ${found.config.model}, since there is a key of openai. --model takes another.`,
    ])
  })

  it('without a key there is none', async () => {
    expect(await withFoundModel(none, { env: {}, home: '/nowhere' })).toBe(none)
  })

  it('what is named counts, and nothing is told', async () => {
    const named: ResolvedConfig = {
      ...none,
      config: { model: 'google:gemini-3-pro-preview' },
      sources: { model: { kind: 'environment', name: 'PALIMPSEST_MODEL' } },
    }
    const kept = await withFoundModel(named, { env: KEYS, home: '/nowhere' })
    expect(kept).toBe(named)
    expect(openingNotes(kept, {})).toEqual([])
  })
})

describe('what a file of the project lets the agent do', () => {
  const file = '/home/dev/clone/palimpsest.config.json'
  const from = { kind: 'file', name: file } as const
  const given: ResolvedConfig = {
    file,
    config: {
      allow: ['write', 'command'],
      baseUrls: { anthropic: 'https://gateway.example', openai: 'https://own.example' },
    },
    sources: { allow: from, baseUrls: from },
    entrySources: { baseUrls: { anthropic: from, openai: { kind: 'flag', name: '--base-url' } } },
  }

  it('is told in one line', () => {
    expect(openingNotes(given, {})).toEqual([
      `${file} allows without asking: write, command; sends requests for anthropic to https://gateway.example. ` +
        '--no-config leaves it out.',
    ])
  })

  it('is not told of a file that the user named, nor of what the user allowed', () => {
    expect(openingNotes(given, { config: file })).toEqual([])
    const flagged = { ...given, sources: { allow: { kind: 'flag', name: '--allow' } as const }, entrySources: {} }
    expect(openingNotes(flagged, { allow: ['write'] })).toEqual([])
  })
})
