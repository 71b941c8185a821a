import { startWirelab } from '@palimpsest/wirelab'
import { resolveProfile } from 'palimpsest/engine'
import { expect, test } from 'vitest'
import { modelList } from './model-list.ts'
import { PROVIDERS } from './providers/providers.ts'

const HOME = '/nowhere'

test('F1 models are offered of providers whose key is there, and of no other', async () => {
  expect(await modelList({ env: {}, home: HOME })).toEqual([])
  const names = await modelList({ env: { ANTHROPIC_API_KEY: 'any', OPENAI_API_KEY: 'any' }, home: HOME })
  expect(new Set(names.map((name) => name.split(':')[0]))).toEqual(new Set(['anthropic', 'openai']))
})

test('F1 what a chat server serves is asked of it; one that does not answer has nothing to offer', async () => {
  const lab = await startWirelab()
  expect(await modelList({ env: {}, home: HOME, baseUrls: { 'openai-chat': lab.url } })).toEqual([
    'openai-chat:lab-model',
  ])
  await lab.close()
  expect(await modelList({ env: {}, home: HOME, baseUrls: { 'openai-chat': lab.url } })).toEqual([])
  expect(await modelList({ env: {}, home: HOME, baseUrls: { 'openai-chat': 'nonsense' } })).toEqual([])
})

test.each(PROVIDERS.map(({ name, models }) => [name, models] as const))(
  'the profile of every model of %s is known',
  (_name, models) => {
    expect(models.filter((id) => !resolveProfile(id).known)).toEqual([])
    expect(models.length).toBeGreaterThan(1)
  },
)
